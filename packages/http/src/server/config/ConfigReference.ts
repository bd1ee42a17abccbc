/**
 * Renders the table of settings as text: for `--help` and for the documentation.
 */
import type { Setting } from "./Setting.ts"
import { configFile, optionName, settingNames, settings } from "./SettingTable.ts"

const renderDefault = ({ defaultText, terminalDefaultText }: Setting<unknown>, quote: string): string => {
  if (defaultText === undefined || defaultText === "") return ""
  const terminal = terminalDefaultText === undefined ? "" : `, ${quote}${terminalDefaultText}${quote} at a terminal`
  return `${quote}${defaultText}${quote}${terminal}`
}

const table: ReadonlyArray<readonly [string, Setting<unknown>]> = [
  ...settingNames.map((name) => [name, settings[name]] as const),
  ["config", configFile]
]

/** Returns the section of `--help` that describes each environment variable in one or two lines. */
export const helpText = (): string =>
  table
    .map(([, setting]) => {
      const defaultText = renderDefault(setting, "")
      const expects = `Expects ${setting.type.expected}${defaultText === "" ? "" : ` (default ${defaultText})`}.`
      return `  ${setting.variables.join(", ")}\n      ${setting.description} ${expects}`
    })
    .join("\n")

/** Returns the reference of all settings as one Markdown table. */
export const markdownTable = (): string => {
  const rows = table.map(([name, setting]) => {
    const option = optionName(name, setting)
    return [
      setting.variables.map((variable) => `\`${variable}\``).join(" "),
      option === undefined ? "" : `\`--${option}\``,
      name === "config" ? "" : `\`${name}\``,
      renderDefault(setting, "`"),
      `${setting.description} Expects ${setting.type.expected}.`
    ]
  })
  const line = (cells: ReadonlyArray<string>): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`
  const heads = ["Environment", "Command line", "File", "Default", "Meaning"]
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n").concat("\n")
}
