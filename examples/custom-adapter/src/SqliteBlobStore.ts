/** Stores contents in the rows of one SQLite file, for deployments whose backup is to be a single file. */
import { BlobError } from "@holdfast/core/storage/BlobError"
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { createHash, randomUUID } from "node:crypto"
import { DatabaseSync, type SQLInputValue } from "node:sqlite"

const make = (db: DatabaseSync) => {
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS blob (key TEXT PRIMARY KEY, upload TEXT NOT NULL, size INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS chunk (upload TEXT, at INTEGER, bytes BLOB, PRIMARY KEY (upload, at));
    DELETE FROM chunk WHERE upload NOT IN (SELECT upload FROM blob)`)
  const get = (sql: string, ...values: Array<SQLInputValue>) => db.prepare(sql).get(...values)
  const run = (sql: string, ...values: Array<SQLInputValue>) => void db.prepare(sql).run(...values)
  const failed = (operation: string) => (cause: unknown) =>
    cause instanceof BlobError ? cause : new BlobError({ reason: "Unavailable", operation, cause })
  const attempt = <A>(operation: string, step: () => A) => Effect.try({ try: step, catch: failed(operation) })
  const find = (operation: string, key: string) => {
    const row = get("SELECT upload, size FROM blob WHERE key = ?", key)
    if (row === undefined) throw new BlobError({ reason: "NotFound", operation })
    return { upload: String(row["upload"]), size: Number(row["size"]) }
  }
  /** Points a key to an upload, or removes it. The commit is synced, and so makes the earlier chunks durable, too. */
  const assign = (key: string, upload?: string, size = 0) => {
    db.exec("PRAGMA synchronous = FULL; BEGIN IMMEDIATE")
    run("DELETE FROM chunk WHERE upload = (SELECT upload FROM blob WHERE key = ?)", key)
    run("DELETE FROM blob WHERE key = ?", key)
    if (upload !== undefined) run("INSERT INTO blob VALUES (?, ?, ?)", key, upload, size)
    db.exec("COMMIT; PRAGMA synchronous = NORMAL")
  }
  const chunkAt = (upload: string, at: number, end: number) => {
    if (at >= end) return [[], Option.none<number>()] as const
    const row = get("SELECT at, bytes FROM chunk WHERE upload = ? AND at <= ? ORDER BY at DESC", upload, at)
    if (!(row?.["bytes"] instanceof Uint8Array)) throw new Error("the blob was removed")
    const bytes = row["bytes"].subarray(at - Number(row["at"]), end - Number(row["at"]))
    return [[bytes], Option.some(at + bytes.length)] as const
  }
  const put = Effect.fnUntraced(function* <E, R>(key: string, content: Stream.Stream<Uint8Array, E, R>) {
    const [upload, hash] = [randomUUID(), createHash("sha256")]
    let size = 0
    const write = (chunk: Uint8Array) => {
      if (chunk.length > 0) run("INSERT INTO chunk VALUES (?, ?, ?)", upload, size, chunk)
      hash.update(chunk)
      size += chunk.length
    }
    yield* Stream.runForEach(content, (chunk) => attempt("put", () => write(chunk))).pipe(
      Effect.andThen(attempt("put", () => assign(key, upload, size))),
      Effect.onError(() => Effect.sync(() => run("DELETE FROM chunk WHERE upload = ?", upload)))
    )
    return { size, sha256: hash.digest("hex") }
  })
  return BlobStore.of({
    put,
    read: (key, { range: { length, offset } = { offset: 0, length: Infinity }, size: expected } = {}) => {
      const chunks = () => {
        const { size, upload } = find("read", key)
        if (size !== (expected ?? size)) throw new BlobError({ reason: "Damaged", operation: "read" })
        const end = Math.min(size, offset + length)
        return Stream.paginate(offset, (at) => attempt("read", () => chunkAt(upload, at, end)))
      }
      return Stream.unwrap(attempt("read", chunks))
    },
    stat: (key) => attempt("stat", () => ({ size: find("stat", key).size })),
    remove: (key) => attempt("remove", () => assign(key)),
    list: (prefix) =>
      Stream.suspend(() => Stream.fromIterable(db.prepare("SELECT key, size FROM blob").iterate())).pipe(
        Stream.map((row) => ({ key: String(row["key"]), size: Number(row["size"]) })),
        Stream.filter(({ key }) => key.startsWith(prefix))
      ),
    localFile: () => undefined,
    check: attempt("check", () => void get("SELECT 1")),
    capabilities: { name: "sqlite", localFiles: false, shared: false }
  })
}

/** `file` is the path of the database. */
export const layer = (file: string) => {
  const open = Effect.acquireDisposable(Effect.sync(() => new DatabaseSync(file)))
  return Layer.effect(BlobStore, Effect.map(open, make))
}
