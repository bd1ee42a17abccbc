/**
 * The commands of a client that uploads contents in parts.
 */
import * as Actor from "@holdfast/core/Actor"
import { ResumableUploads } from "@holdfast/core/uploads/ResumableUploads"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { assert } from "vitest"
import { type Command, command, content, type FileRecord, index, locations, makeFile, type Real } from "./Command.ts"
import * as Model from "./Model.ts"

const encode = (text: string) => new TextEncoder().encode(text)

const bytesOf = (text: string) => Stream.make(encode(text))

const lengthOf = (upload: Model.ModelUpload): number => encode(Model.contentOf(upload)).length

/** Runs a method of the service, and returns its result or its error. */
const attempt = <A, E extends { readonly _tag: string }>(
  { requests }: Real,
  method: (uploads: ResumableUploads["Service"]) => Effect.Effect<A, E>
): Promise<A | E> =>
  requests.run(
    Effect.flatMap(ResumableUploads, (uploads) =>
      Effect.match(method(uploads), { onFailure: (error): A | E => error, onSuccess: (value): A | E => value })
    )
  )

/** Makes a command on one of the open uploads. It does nothing when there are none. */
const onUpload = (
  name: string,
  at: number,
  run: (upload: Model.ModelUpload, real: Real, model: Model.Model) => Promise<void>
): Command =>
  command(`${name} #${at}`, async (model, real) => {
    const upload = Model.chooseUpload(model, at)
    if (upload !== undefined) await run(upload, real, model)
  })

const refOf = ({ bucket }: Real, { id }: Model.ModelUpload) => ({ ...bucket, uploadId: id })

const begin = (name: string, path: string, mode: "APPEND" | "PARTS", onConflict: "fail" | "replace") =>
  command(`begin ${mode} ${path}${name} ${onConflict}`, async (model, real) => {
    const answer = await attempt(real, (uploads) =>
      uploads.create(Actor.system, real.bucket, { name, path }, { mode, onConflict })
    )
    const existing = Model.findByName(model, path, name)
    if (existing !== undefined && onConflict === "fail") {
      return assert.deepInclude(answer, { _tag: "FileExists", existingId: existing.id })
    }
    assert.deepInclude(answer, { mode, received: 0, state: "OPEN" })
    const { id } = answer as { readonly id: string }
    model.uploads.set(id, { id, mode, path, name, onConflict, parts: new Map() })
  })

const append = (at: number, text: string, tooFar: number) =>
  onUpload(`append ${JSON.stringify(text)} ${tooFar} too far`, at, async (upload, real) => {
    const offset = lengthOf(upload)
    const answer = await attempt(real, (uploads) =>
      uploads.append(Actor.system, refOf(real, upload), bytesOf(text), { offset: offset + tooFar })
    )
    if (upload.mode === "PARTS") return assert.deepInclude(answer, { _tag: "InvalidRequest" })
    if (tooFar > 0) return assert.deepInclude(answer, { _tag: "OffsetMismatch", offset })
    if (text !== "") upload.parts.set(upload.parts.size + 1, text)
    assert.deepInclude(answer, { id: upload.id, received: lengthOf(upload) })
  })

const putPart = (at: number, number: number, text: string) =>
  onUpload(`part ${number} ${JSON.stringify(text)}`, at, async (upload, real) => {
    const answer = await attempt(real, (uploads) =>
      uploads.putPart(Actor.system, refOf(real, upload), bytesOf(text), { number })
    )
    if (upload.mode === "APPEND") return assert.deepInclude(answer, { _tag: "InvalidRequest" })
    assert.deepInclude(answer, { number, size: encode(text).length })
    upload.parts.set(number, text)
  })

const abort = (at: number) =>
  onUpload("abort", at, async (upload, real, model) => {
    const ref = refOf(real, upload)
    assert.isUndefined(await attempt(real, (uploads) => uploads.abort(Actor.system, ref)))
    model.uploads.delete(upload.id)
    assert.deepInclude(await attempt(real, (uploads) => uploads.get(Actor.system, ref)), { _tag: "NotFound" })
  })

const complete = (at: number) =>
  onUpload("complete", at, async (upload, real, model) => {
    const { name, onConflict, path } = upload
    const attemptOnce = () => attempt(real, (uploads) => uploads.complete(Actor.system, refOf(real, upload)))
    const answer = await attemptOnce()
    const existing = Model.findByName(model, path, name)
    if (existing !== undefined && onConflict === "fail") {
      return assert.deepInclude(answer, { _tag: "FileExists", existingId: existing.id })
    }
    const version = (existing?.version ?? 0) + 1
    assert.deepInclude(answer, { name, path, version, state: "READY", ...(existing && { id: existing.id }) })
    const record = answer as FileRecord
    const made = existing ?? makeFile(record, "")
    Object.assign(made, { content: Model.contentOf(upload), version })
    model.files.set(made.id, made)
    model.uploads.delete(upload.id)
    // A client whose answer was lost asks again.
    assert.deepEqual(await attemptOnce(), answer)
  })

const list = command("list uploads", async (model, real) => {
  const page = await attempt(real, (uploads) => uploads.list(Actor.system, real.bucket, { limit: 1000 }))
  const { items } = page as { readonly items: ReadonlyArray<{ readonly id: string; readonly received: number }> }
  assert.sameDeepMembers(
    items.map(({ id, received }) => [id, received]),
    [...model.uploads.values()].map((upload) => [upload.id, lengthOf(upload)])
  )
})

const mode = fc.constantFrom("APPEND" as const, "PARTS" as const)
const onConflict = fc.constantFrom("fail" as const, "replace" as const)

/** Generators of all commands. */
export const all: Array<fc.Arbitrary<Command>> = [
  fc
    .tuple(locations.name, locations.path, mode, onConflict)
    .map(([name, path, how, conflict]) => begin(name, path, how, conflict)),
  fc.tuple(index, content, fc.constantFrom(0, 0, 0, 1)).map(([at, text, tooFar]) => append(at, text, tooFar)),
  fc.tuple(index, fc.integer({ min: 1, max: 4 }), content).map(([at, number, text]) => putPart(at, number, text)),
  index.map(abort),
  index.map(complete),
  fc.constant(list)
]
