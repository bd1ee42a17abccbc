/**
 * The settings as text: for `--help` and for the documentation.
 */
import { file, names, optionOf, type Setting, settings } from "./ConfigSettings.ts"

const defaultOf = ({ fallback, fallbackAtTerminal }: Setting<unknown>, quote: string): string => {
  if (fallback === undefined || fallback === "") return ""
  const terminal = fallbackAtTerminal === undefined ? "" : `, ${quote}${fallbackAtTerminal}${quote} at a terminal`
  return `${quote}${fallback}${quote}${terminal}`
}

const table: ReadonlyArray<readonly [string, Setting<unknown>]> = [
  ...names.map((name) => [name, settings[name]] as const),
  ["config", file]
]

/** Every environment variable with what it sets, a line or two each, to follow the options in `--help`. */
export const help = (): string =>
  table
    .map(([, setting]) => {
      const fallback = defaultOf(setting, "")
      const accepts = `Expects ${setting.kind.accepts}${fallback === "" ? "" : ` (default ${fallback})`}.`
      return `  ${setting.variables.join(", ")}\n      ${setting.description} ${accepts}`
    })
    .join("\n")

/** The reference of all settings in Markdown: one table. */
export const markdown = (): string => {
  const rows = table.map(([name, setting]) => {
    const option = optionOf(name, setting)
    return [
      setting.variables.map((variable) => `\`${variable}\``).join(" "),
      option === undefined ? "" : `\`--${option}\``,
      name === "config" ? "" : `\`${name}\``,
      defaultOf(setting, "`"),
      `${setting.description} Expects ${setting.kind.accepts}.`
    ]
  })
  const line = (cells: ReadonlyArray<string>): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`
  const heads = ["Environment", "Command line", "File", "Default", "Meaning"]
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n").concat("\n")
}
