import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { longFiles } from "../results/LongFilesFirst.ts"
import { leftOut } from "../results/RareFiles.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

it("rare test files: every one → exists, run by a command and not listed as a long one", () => {
  const files = leftOut({})
  const { scripts } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>
  }
  const commands = Object.values(scripts).filter((command) => command.includes("=all vitest run"))
  const isRun = (file: string) => commands.some((command) => command.split(" ").some((path) => file.startsWith(path)))
  expect(files.filter((file) => !existsSync(`${root}${file}`) || !isRun(file) || longFiles.includes(file))).toEqual([])
  expect(leftOut({ HOLDFAST_FAULTS: "all", HOLDFAST_MEDIA: "all", HOLDFAST_PLAYERS: "all" })).toEqual([])
})

it("long test files: every listed one → exists, listed once", () => {
  expect(longFiles.filter((file) => !existsSync(`${root}${file}`))).toEqual([])
  expect(new Set(longFiles).size).toBe(longFiles.length)
})
