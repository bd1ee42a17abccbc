/**
 * The commands of a client on one bucket. Each one runs on the API and on the model and compares the results.
 */
import * as fc from "fast-check"
import { assert } from "vitest"
import {
  alias,
  type Command,
  command,
  compare,
  content,
  type FileRecord,
  index,
  locations,
  makeFile,
  type Real
} from "./Command.ts"
import * as Model from "./Model.ts"

const read = async <T>(response: Response, status: number): Promise<T> => {
  const body: unknown = await response.json()
  assert.strictEqual(response.status, status, JSON.stringify(body))
  return body as T
}

/** Expects a problem, and the id of the conflicting file in it. */
const expectRefused = async (response: Response, code: string, existingId?: string): Promise<void> => {
  const problem = await read<{ readonly code: string; readonly existingId?: string }>(response, response.status)
  assert.strictEqual(problem.code, code)
  if (existingId !== undefined) assert.strictEqual(problem.existingId, existingId)
}

const create = (name: string, path: string, text: string | null) =>
  command(`create ${path}${name} ${JSON.stringify(text)}`, async (model, { path: base, requests }) => {
    const form = new FormData()
    form.set("body", JSON.stringify({ name, path }))
    form.set("file", new Blob([text ?? ""]))
    const response =
      text === null
        ? await requests.post(base, { json: { name, path } })
        : await requests.post(`${base}/upload`, { body: form })
    const existing = Model.findByName(model, path, name)
    if (existing !== undefined) return expectRefused(response, "file_exists", existing.id)
    const record = await read<FileRecord>(response, 201)
    const file = makeFile(record, text)
    compare(record, file)
    model.files.set(file.id, file)
  })

const overwrite = (at: number, text: string) =>
  command(`overwrite #${at} ${JSON.stringify(text)}`, async (model, { path: base, requests }) => {
    const file = Model.choose(model, at)
    if (file === undefined) return
    file.content = new TextDecoder().decode(new TextEncoder().encode(text))
    file.version++
    compare(await read(await requests.post(`${base}/${file.id}/reupload`, { body: text }), 200), file)
  })

const move = (at: number, name: string, path: string) =>
  command(`move #${at} to ${path}${name}`, async (model, { path: base, requests }) => {
    const file = Model.choose(model, at)
    if (file === undefined) return
    const response = await requests.patch(`${base}/${file.id}`, { json: { name, path } })
    const existing = Model.findByName(model, path, name)
    if (existing !== undefined && existing !== file) return expectRefused(response, "file_exists", existing.id)
    Object.assign(file, { name, path })
    compare(await read(response, 200), file)
  })

const rename = (at: number, to: string | null) =>
  command(`alias #${at} @${to}`, async (model, { path: base, requests }) => {
    const file = Model.choose(model, at)
    if (file === undefined) return
    const response = await requests.patch(`${base}/${file.id}`, { json: { alias: to, metadata: { at } } })
    const existing = to === null ? undefined : Model.findByAlias(model, to)
    if (existing !== undefined && existing !== file) return expectRefused(response, "alias_taken", existing.id)
    Object.assign(file, { alias: to, metadata: { at } })
    compare(await read(response, 200), file)
  })

const setHeader = (at: number, name: string, value: string) =>
  command(`header #${at} ${name}: ${value}`, async (model, { path: base, requests }) => {
    const file = Model.choose(model, at)
    if (file === undefined) return
    await read(await requests.post(`${base}/${file.id}/headers`, { json: { name, value } }), 201)
    file.headers.set(name.toLowerCase(), value)
  })

const remove = (at: number) =>
  command(`remove #${at}`, async (model, { path: base, requests }) => {
    const file = Model.choose(model, at)
    if (file === undefined) return
    assert.strictEqual((await requests.delete(`${base}/${file.id}`)).status, 204)
    model.files.delete(file.id)
    await expectRefused(await requests.get(`${base}/${file.id}`), "not_found")
  })

const view = (at: number, from: number) =>
  command(`view #${at} from ${from}`, async (model, { path: base, requests }) => {
    const file = Model.choose(model, at)
    if (file === undefined) return
    const named = file.alias === null || from % 2 === 0 ? file.id : `@${file.alias}`
    const record = await read<FileRecord>(await requests.get(`${base}/${named}`, { query: { expands: "SIZE" } }), 200)
    compare(record, file)
    const response = await requests.get(`${base}/${named}/view`, { headers: { range: `bytes=${from}-` } })
    if (file.content === null) return expectRefused(response, "content_not_uploaded")
    const whole = new TextEncoder().encode(file.content)
    assert.strictEqual(record.expands?.size.bytes, whole.length)
    assert.strictEqual(response.status, from < whole.length ? 206 : 416)
    if (from >= whole.length) return void (await response.arrayBuffer())
    assert.deepStrictEqual(new Uint8Array(await response.arrayBuffer()), whole.slice(from))
    for (const [name, value] of file.headers) assert.strictEqual(response.headers.get(name), value)
  })

interface Listing {
  readonly items: ReadonlyArray<FileRecord>
  readonly folders: ReadonlyArray<string>
  readonly nextCursor: string | null
}

/** Reads all pages of a list. */
const listAll = async (real: Real, query: Record<string, string>) => {
  const items: Array<FileRecord> = []
  const folders: Array<string> = []
  let cursor: string | null = ""
  while (cursor !== null) {
    const page: Listing = await read(
      await real.requests.get(real.path, { query: { ...query, ...(cursor === "" ? {} : { cursor }) } }),
      200
    )
    assert.isAtMost(page.items.length + page.folders.length, Number(query["limit"]))
    items.push(...page.items)
    folders.push(...page.folders)
    cursor = page.nextCursor
  }
  return { items, folders }
}

const list = (path: string, limit: number) =>
  command(`list ${path} by ${limit}`, async (model, real) => {
    const level = await listAll(real, { path, limit: String(limit) })
    assert.deepStrictEqual(
      level.items.map(({ name }) => name),
      Model.namesIn(model, path)
    )
    assert.deepStrictEqual(level.folders, Model.foldersIn(model, path))
    const below = await listAll(real, { path, limit: String(limit), recursive: "true" })
    assert.deepStrictEqual(
      below.items.map((item) => item.path + item.name),
      Model.pathsBelow(model, path)
    )
  })

/** Generators of all commands, weighted as in a busy bucket. */
export const all: Array<fc.Arbitrary<Command>> = [
  fc.tuple(locations.name, locations.path, content).map(([name, path, text]) => create(name, path, text)),
  fc.tuple(locations.name, locations.path, fc.option(content)).map(([name, path, text]) => create(name, path, text)),
  fc.tuple(index, content).map(([at, text]) => overwrite(at, text)),
  fc.tuple(index, locations.name, locations.path).map(([at, name, path]) => move(at, name, path)),
  fc.tuple(index, fc.option(alias)).map(([at, to]) => rename(at, to)),
  fc
    .tuple(index, fc.constantFrom("x-a", "X-A", "content-language"), fc.constantFrom("1", "en"))
    .map(([at, name, value]) => setHeader(at, name, value)),
  index.map(remove),
  fc.tuple(index, fc.nat(60)).map(([at, from]) => view(at, from)),
  fc.tuple(locations.path, fc.integer({ min: 1, max: 5 })).map(([path, limit]) => list(path, limit))
]
