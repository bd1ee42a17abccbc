import { fakeHoldfast } from "@holdfast/testing"
import { expect, it } from "vitest"
import * as Notes from "../src/Notes.ts"

it("write: new and existing title → read returns the last text, titles lists both", async () => {
  await using fake = await fakeHoldfast()
  const notes = Notes.make(fake.holdfast, fake.owner, fake.bucket)
  await notes.write("shopping", "milk")
  await notes.write("shopping", "bread")
  await notes.write("ideas", "more tests")
  expect([await notes.read("shopping"), await notes.titles()]).toEqual(["bread", ["ideas", "shopping"]])
  await expect(notes.read("nothing")).rejects.toThrow('There is no note "nothing".')
})

it("write: disk is full → storage_full, the former text stays", async () => {
  await using fake = await fakeHoldfast()
  const notes = Notes.make(fake.holdfast, fake.owner, fake.bucket)
  await notes.write("shopping", "milk")
  fake.failStore({ method: "put", reason: "StorageFull" })
  await expect(notes.write("shopping", "bread")).rejects.toMatchObject({ code: "storage_full" })
  expect(await notes.read("shopping")).toBe("milk")
  fake.repairStore()
  await notes.write("shopping", "bread")
  expect(await notes.read("shopping")).toBe("bread")
})

it("titles: actor is no member → forbidden", async () => {
  await using fake = await fakeHoldfast()
  const stranger = fake.holdfast.account("stranger@example.com")
  await expect(Notes.make(fake.holdfast, stranger, fake.bucket).titles()).rejects.toMatchObject({ code: "forbidden" })
})
