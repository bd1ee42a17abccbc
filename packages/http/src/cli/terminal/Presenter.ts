/**
 * Prints help, the version and usage errors. A usage error takes one line on standard error instead of the whole help.
 */
import type * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import type * as Layer from "effect/Layer"
import * as ConfigReference from "../../server/config/ConfigReference.ts"
import { variables } from "../../server/config/RemoteVariables.ts"
import * as Output from "./Output.ts"

/** Returns a text of paragraphs as sentences in one line. */
const toOneLine = (text: string): string => text.replaceAll(/\s*\n\s*\n\s*/g, ". ").replaceAll(/\s*\n\s*/g, " ")

/** Returns what is wrong with an argument. That of a missing option names the variable that may take its place. */
const describe = (error: CliError.CliError): string => {
  const variable =
    error._tag === "MissingOption" ? Object.entries(variables).find(([name]) => name === error.option)?.[1] : undefined
  return variable === undefined ? error.message : `${error.message}, or ${variable} in the environment`
}

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
        const faults = toOneLine(event.errors.map(describe).join("; "))
        return Output.writeError(`${event.commandPath[0]}: ${faults} (see ${event.commandPath.join(" ")} --help)`)
      }
    }
  }
})
