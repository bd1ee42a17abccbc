import { BlobError } from "@holdfast/core"
import { expect, it } from "vitest"
import * as Notes from "../src/Notes.ts"
import { setUp } from "./setUp.ts"

it("write: new and existing title → read returns the last text, titles lists both", async () => {
  const { holdfast, owner, ref } = await setUp()
  const notes = Notes.make(holdfast, owner, ref)
  await notes.write("shopping", "milk")
  await notes.write("shopping", "bread")
  await notes.write("ideas", "more tests")
  expect([await notes.read("shopping"), await notes.titles()]).toEqual(["bread", ["ideas", "shopping"]])
  await expect(notes.read("nothing")).rejects.toThrow('There is no note "nothing".')
})

it("write: disk is full → storage_full, the former text stays", async () => {
  const { fillDisk, holdfast, owner, ref } = await setUp()
  const notes = Notes.make(holdfast, owner, ref)
  await notes.write("shopping", "milk")
  await fillDisk()
  const failed = notes.write("shopping", "bread")
  await expect(failed).rejects.toBeInstanceOf(BlobError)
  await expect(failed).rejects.toMatchObject({ code: "storage_full" })
  expect(await notes.read("shopping")).toBe("milk")
})

it("titles: actor is no member → forbidden", async () => {
  const { holdfast, ref } = await setUp()
  const notes = Notes.make(holdfast, holdfast.account("stranger@example.com"), ref)
  await expect(notes.titles()).rejects.toMatchObject({ code: "forbidden" })
})
