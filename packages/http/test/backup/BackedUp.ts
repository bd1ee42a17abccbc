/**
 * A deployment with contents and a backup of it, which the tests of one run make once and then copy.
 */
import * as SharedFiles from "@holdfast/testing/SharedFiles"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as Process from "../support/Process.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import * as Deployments from "./Deployments.ts"

interface Record {
  readonly key: string
  /** The path of the files below the API. */
  readonly files: string
  /** The SHA-256 of each content by its name. */
  readonly contents: Readonly<{ [name: string]: string }>
}

const fill = async (directory: string, count: number, bytes: number): Promise<void> => {
  const source = await Deployments.make(undefined)
  const bucket = await Deployments.begin(source)
  const contents: { [name: string]: string } = {}
  for (let i = 0; i < count; i++) {
    const content = new Uint8Array(bytes).fill(i)
    await ServiceBucket.uploadFile(bucket, `f${i}`, content)
    contents[`f${i}`] = Deployments.sha256(content)
  }
  await bucket.service.stop()
  await Deployments.runJson(source, "backup", Path.join(directory, "backup"))
  await Fs.cp(source.data, Path.join(directory, "data"), { recursive: true })
  const record: Record = { key: bucket.key, files: bucket.files, contents }
  await Fs.writeFile(Path.join(directory, "record.json"), JSON.stringify(record))
}

/** Returns a copy of a deployment on SQLite with `count` contents of `bytes` bytes, whose service is stopped, and of its backup. */
export const make = async (count: number, bytes: number) => {
  const shared = await SharedFiles.directory(`backed-up-${count}-${bytes}`, (made) => fill(made, count, bytes))
  const { contents, files, key }: Record = JSON.parse(await Fs.readFile(Path.join(shared, "record.json"), "utf8"))
  const source = await Deployments.make(undefined)
  const backup = await Process.makeDirectory()
  await Fs.cp(Path.join(shared, "data"), source.data, { recursive: true })
  await Fs.cp(Path.join(shared, "backup"), backup, { recursive: true })
  const [id = ""] = await Fs.readdir(Path.join(backup, "snapshots"))
  const snapshot = Path.join(backup, "snapshots", id)
  return { source, bucket: { files, key }, contents: new Map(Object.entries(contents)), backup, id, snapshot }
}
