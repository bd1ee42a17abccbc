import { BlobError } from "@holdfast/core"
import { expect, it } from "vitest"
import * as Notes from "../src/Notes.ts"
import { opened } from "./opened.ts"

it("writes, overwrites and lists notes", async () => {
  const { holdfast, owner, ref } = await opened()
  const notes = Notes.make(holdfast, owner, ref)
  await notes.write("shopping", "milk")
  await notes.write("shopping", "bread")
  await notes.write("ideas", "more tests")
  expect([await notes.read("shopping"), await notes.titles()]).toEqual(["bread", ["ideas", "shopping"]])
  await expect(notes.read("nothing")).rejects.toThrow('There is no note "nothing".')
})

it("keeps the old note when the disk is full", async () => {
  const { fillDisk, holdfast, owner, ref } = await opened()
  const notes = Notes.make(holdfast, owner, ref)
  await notes.write("shopping", "milk")
  await fillDisk()
  const failed = notes.write("shopping", "bread")
  await expect(failed).rejects.toBeInstanceOf(BlobError)
  await expect(failed).rejects.toMatchObject({ code: "storage_full" })
  expect(await notes.read("shopping")).toBe("milk")
})

it("does nothing for an actor who is no member", async () => {
  const { holdfast, ref } = await opened()
  const notes = Notes.make(holdfast, holdfast.account("stranger@example.com"), ref)
  await expect(notes.titles()).rejects.toMatchObject({ code: "forbidden" })
})
