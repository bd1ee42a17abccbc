/**
 * ZIP archives, read by Info-ZIP and by Python.
 */
import * as Requires from "@holdfast/testing/Requires"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import * as ZipStream from "../../src/transfer/response/ZipStream.ts"

const missing = Requires.firstMissing(Requires.command("unzip", "-v"), Requires.command("python3", "--version"))

const script = `
import json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
print(json.dumps([archive.testzip(), len(archive.infolist()),
  [[i.filename, archive.read(i).decode(), list(i.date_time)] for i in archive.infolist()[:3]]]))`

/** Writes an archive to a file. */
const write = async (entries: Iterable<{ readonly name: string; readonly text: string; readonly size?: number }>) => {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-zip-"))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const stream = ZipStream.make(
    Stream.map(Stream.fromIterable(entries), ({ name, size, text }) => ({
      name,
      modifiedAt: new Date("2026-03-04T05:06:08Z"),
      size: size ?? text.length,
      content: Stream.fromIterable([Buffer.from(text.slice(0, 3)), Buffer.from(text.slice(3))])
    }))
  )
  const path = join(directory, "test.zip")
  writeFileSync(path, Buffer.concat(await Effect.runPromise(Stream.runCollect(stream))))
  return path
}

const read = (path: string): unknown => JSON.parse(execFileSync("python3", ["-c", script, path], { encoding: "utf8" }))

const namesOf = (path: string): unknown =>
  JSON.parse(
    execFileSync(
      "python3",
      ["-c", "import json, sys, zipfile; print(json.dumps(zipfile.ZipFile(sys.argv[1]).namelist()))", path],
      {
        encoding: "utf8"
      }
    )
  )

Requires.requires(missing).describe("ZIP", () => {
  it("files with Unicode names, an empty one, one that is declared with 5 GB → valid for unzip and Python", async () => {
    const path = await write([
      { name: "Grüße/日本.txt", text: "hello world" },
      { name: "empty", text: "" },
      { name: "large", text: "pretends", size: 5_000_000_000 }
    ])
    expect(execFileSync("unzip", ["-t", path], { encoding: "utf8" })).toContain("No errors detected")
    const date = [2026, 3, 4, 5, 6, 8]
    expect(read(path)).toEqual([
      null,
      3,
      [
        ["Grüße/日本.txt", "hello world", date],
        ["empty", "", date],
        ["large", "pretends", date]
      ]
    ])
  })

  it("names with backslashes and marks that change the direction of text → `_` in their place", async () => {
    const names = ["in\\..\\a.txt", "in/invoice\u202efdp.exe", "in/..\u200f"]
    expect(namesOf(await write(names.map((name) => ({ name, text: "" }))))).toEqual([
      "in_.._a.txt",
      "in/invoice_fdp.exe",
      "in/.._"
    ])
  })

  it("names that differ in replaced characters only → a number in the later ones", async () => {
    const names = [
      "in/a\u202eb.txt",
      "in/a_b.txt",
      "in/a\\b.txt",
      "in/a_b (3).txt",
      "in\\a_b.txt",
      "v1.0/a\u200f",
      "v1.0/a_",
      ".a\u200e",
      ".a_",
      "\ud800",
      "\ud801"
    ]
    expect(namesOf(await write(names.map((name) => ({ name, text: "" }))))).toEqual([
      "in/a_b.txt",
      "in/a_b (2).txt",
      "in/a_b (3).txt",
      "in/a_b (3) (2).txt",
      "in_a_b.txt",
      "v1.0/a_",
      "v1.0/a_ (2)",
      ".a_",
      ".a_ (2)",
      "\ufffd",
      "\ufffd (2)"
    ])
  })

  it("no file → valid; 70,000 files → ZIP64", async () => {
    expect(read(await write([]))).toEqual([null, 0, []])
    const many = Array.from({ length: 70_000 }, (_, index) => ({ name: `${index}`, text: "" }))
    expect(read(await write(many))).toEqual([null, 70_000, expect.any(Array)])
  })
})
