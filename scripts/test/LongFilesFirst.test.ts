import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { longFiles } from "../results/LongFilesFirst.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

it("long test files: every listed one → exists, listed once", () => {
  expect(longFiles.filter((file) => !existsSync(`${root}${file}`))).toEqual([])
  expect(new Set(longFiles).size).toBe(longFiles.length)
})
