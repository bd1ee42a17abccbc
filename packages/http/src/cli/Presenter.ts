/**
 * How help, versions and wrong calls are shown: a wrong call gets one line on standard error, not the whole help.
 */
import * as CliOutput from "effect/cli/CliOutput"
import type * as Layer from "effect/Layer"
import * as ConfigReference from "../server/config/ConfigReference.ts"
import * as Output from "./Output.ts"

const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, " ")

const formatter = CliOutput.defaultFormatter({
  colors: process.stdout.isTTY && process.env["NO_COLOR"] === undefined
})

/** Settings that are secret are no options, since other users of the machine see those; they stand here. */
const environment = (commandPath: ReadonlyArray<string>): string =>
  commandPath.at(-1) === "serve" ? `\n\nENVIRONMENT\n${ConfigReference.helpText()}` : ""

export const layer: Layer.Layer<never> = CliOutput.layerPresenter({
  present: (event) => {
    switch (event._tag) {
      case "Help":
        return Output.writeLine(formatter.formatHelpDoc(event.helpDoc) + environment(event.commandPath))
      case "Version":
        return Output.writeLine(event.version)
      case "InvalidInvocation": {
        const faults = oneLine(event.errors.map((error) => error.message).join("; "))
        return Output.writeError(`${event.commandPath[0]}: ${faults} (see ${event.commandPath.join(" ")} --help)`)
      }
    }
  }
})
