/**
 * Prints help, the version and usage errors. A usage error takes one line on standard error instead of the whole help.
 */
import * as CliOutput from "effect/cli/CliOutput"
import type * as Layer from "effect/Layer"
import * as ConfigReference from "../../server/config/ConfigReference.ts"
import * as Output from "./Output.ts"

const toOneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, " ")

const formatter = CliOutput.defaultFormatter({
  colors: process.stdout.isTTY && process.env["NO_COLOR"] === undefined
})

/** The environment variables of `serve`. Only this section shows the secret settings, which have no options. */
const environmentSection = (commandPath: ReadonlyArray<string>): string =>
  commandPath.at(-1) === "serve" ? `\n\nENVIRONMENT\n${ConfigReference.helpText()}` : ""

export const layer: Layer.Layer<never> = CliOutput.layerPresenter({
  present: (event) => {
    switch (event._tag) {
      case "Help":
        return Output.writeLine(formatter.formatHelpDoc(event.helpDoc) + environmentSection(event.commandPath))
      case "Version":
        return Output.writeLine(event.version)
      case "InvalidInvocation": {
        const faults = toOneLine(event.errors.map((error) => error.message).join("; "))
        return Output.writeError(`${event.commandPath[0]}: ${faults} (see ${event.commandPath.join(" ")} --help)`)
      }
    }
  }
})
