/**
 * A content in blocks: nothing of it is visible before their list is committed. Blocks without a list are never listed or
 * read, and the service drops them after a week, or with the next commit under the same name.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { randomUUID } from "node:crypto"
import type * as Assembly from "./Assembly.ts"
import * as AzureFailure from "./AzureFailure.ts"
import type * as Connection from "./Connection.ts"

/** The service's limit. */
export const maxBlocks = 50_000

/**
 * Ids of one put alone, so that blocks which another one left behind are never taken for its own. All are of one length, as
 * the service wants it within a blob.
 */
const ids = (): ((index: number) => string) => {
  const put = randomUUID()
  return (index) => Buffer.from(`${put}-${String(index).padStart(5, "0")}`).toString("base64")
}

const send = (
  connection: Connection.Connection,
  name: string,
  id: string,
  { bytes, index, md5 }: Assembly.Block
): Effect.Effect<void, AzureFailure.AzureFailure> =>
  index < maxBlocks
    ? Effect.asVoid(
        connection.call((container, abortSignal) =>
          container
            .getBlockBlobClient(name)
            .stageBlock(id, bytes, bytes.byteLength, { abortSignal, transactionalContentMD5: md5 })
        )
      )
    : Effect.fail(AzureFailure.of("TooLarge", `a content has more than ${maxBlocks} blocks`))

/**
 * Sends all blocks, the first of which is in `memory` already, and gives the list of their ids. Each of several workers
 * has memory for one block: it waits for its turn to fill it, and sends it while another one fills.
 */
export const sendAll = <E, R>(
  connection: Connection.Connection,
  name: string,
  assembly: Assembly.Assembly<E, R>,
  first: { readonly block: Assembly.Block; readonly memory: Assembly.Memory },
  others: ReadonlyArray<Assembly.Memory>
): Effect.Effect<ReadonlyArray<string>, AzureFailure.AzureFailure | E, R> => {
  const idOf = ids()
  const turn = Semaphore.makeUnsafe(1)
  let sent = 0
  const worker = Effect.fnUntraced(function* (memory: Assembly.Memory, begun: Assembly.Block | undefined) {
    let block = begun ?? (yield* turn.withPermits(1)(assembly.next(memory)))
    while (block !== undefined) {
      yield* send(connection, name, idOf(block.index), block)
      sent++
      block = yield* turn.withPermits(1)(assembly.next(memory))
    }
  })
  return Effect.all([worker(first.memory, first.block), ...others.map((memory) => worker(memory, undefined))], {
    concurrency: "unbounded",
    discard: true
  }).pipe(Effect.map(() => Array.from({ length: sent }, (_, index) => idOf(index))))
}
