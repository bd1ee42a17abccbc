/**
 * How help, versions and wrong calls are shown: a wrong call gets one line on standard error, not the whole help.
 */
import * as CliOutput from "effect/cli/CliOutput"
import type * as Layer from "effect/Layer"
import * as Output from "./Output.ts"

const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, " ")

const colors = process.stdout.isTTY && process.env["NO_COLOR"] === undefined

export const layer: Layer.Layer<never> = CliOutput.layerPresenter({
  present: (event) => {
    switch (event._tag) {
      case "Help":
        return Output.line(CliOutput.defaultFormatter({ colors: colors }).formatHelpDoc(event.helpDoc))
      case "Version":
        return Output.line(event.version)
      case "InvalidInvocation":
        return Output.note(
          `${event.commandPath[0]}: ${oneLine(event.errors.map((error) => error.message).join("; "))} (see ${event.commandPath.join(" ")} --help)`
        )
    }
  }
})
