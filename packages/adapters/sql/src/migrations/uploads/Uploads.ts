/**
 * The tables of uploads in parts, and of the parts of composite contents.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../../internal/Dialect.ts"
import * as Migration from "../Migration.ts"

const change = Effect.gen(function* () {
  const sql = yield* SqlClient
  const text = textType(sql)

  // `blob_id` is the blob that the content will have. It is PENDING while the upload is open, so that it holds the reservation of
  // the bytes, and its parts are swept with it. `terms` is JSON: what the file will be, and on which conditions. A request that
  // takes an upload over increases `epoch`, a change of the parts `revision`. `answer` is JSON: the file that the upload has made.
  yield* sql`CREATE TABLE upload (
    id ${text} NOT NULL PRIMARY KEY,
    tenant_id ${text} NOT NULL,
    bucket_id ${text} NOT NULL,
    blob_id ${text} NOT NULL,
    mode ${text} NOT NULL CHECK (mode IN ('APPEND', 'PARTS')),
    terms ${text} NOT NULL,
    length bigint,
    received bigint NOT NULL,
    state ${text} NOT NULL CHECK (state IN ('OPEN', 'DONE', 'DEAD')),
    epoch bigint NOT NULL,
    revision bigint NOT NULL,
    answer ${text},
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL)`
  yield* sql`CREATE INDEX upload_open ON upload (bucket_id, id) WHERE state = 'OPEN'`
  yield* sql`CREATE INDEX upload_of_tenant ON upload (tenant_id) WHERE state = 'OPEN'`
  yield* sql`CREATE INDEX upload_of_blob ON upload (blob_id)`
  yield* sql`CREATE INDEX upload_expiry ON upload (expires_at)`

  // The parts of an upload, and of the content that it has become: they stay the same rows, so that a completion moves none.
  // `start` is null until the order of the parts is known. `tag` is a text of the writer, such as an entity tag of its protocol.
  yield* sql`CREATE TABLE blob_part (
    content_id ${text} NOT NULL,
    number bigint NOT NULL,
    start bigint,
    size bigint NOT NULL,
    blob_id ${text} NOT NULL,
    tag ${text},
    created_at bigint NOT NULL,
    PRIMARY KEY (content_id, number))`
  yield* sql`CREATE INDEX blob_part_start ON blob_part (content_id, start)`
  yield* sql`CREATE INDEX blob_part_blob ON blob_part (blob_id)`

  // The number of the parts of a composite content. Its SHA-256 is in the row of its file only: nodes of the former version, which
  // would look for the blob's bytes, do not check a blob without one.
  yield* sql`ALTER TABLE blob ADD COLUMN parts bigint`
  // The blob of the file's content if that is a composite one, so that a read finds it in the file's own row. It counts while it is
  // the file's blob: a node of the former version replaces a content without changing this column.
  yield* sql`ALTER TABLE file ADD COLUMN composite_blob ${text}`
})

export const uploads: ReadonlyArray<Migration.Step> = [Migration.change(change)]
