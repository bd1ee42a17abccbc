/**
 * A line to a server of this machine that a test can cut.
 */
import * as TcpProxy from "@holdfast/testing/servers/TcpProxy"
import * as Effect from "effect/Effect"

/** Open until the scope closes. After `after` bytes towards the server, all together, it is cut once. */
export const open = Effect.fnUntraced(function* (to: number, after?: number) {
  const { cut, cutAfter, port } = yield* TcpProxy.open(to)
  const cutting = after === undefined ? undefined : yield* Effect.forkChild(cutAfter(after), { startImmediately: true })
  return { port, cut, wasCut: () => cutting?.pollUnsafe() !== undefined }
})
