/**
 * An HTTP server on the loopback interface that counts its requests.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createServer } from "node:http"

export class Loopback extends Context.Service<
  Loopback,
  {
    /** URL of a file on the server. */
    readonly url: string
    readonly requests: () => number
  }
>()("@holdfast/ffmpeg/test/Loopback") {}

export const layer: Layer.Layer<Loopback> = Layer.effect(
  Loopback,
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly requests: () => number; readonly close: () => void }>((resume) => {
      let requests = 0
      const server = createServer((_, response) => {
        requests++
        response.end("secret")
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = address === null || typeof address === "string" ? 0 : address.port
        resume(
          Effect.succeed({
            url: `http://127.0.0.1:${port}/secret.ts`,
            requests: () => requests,
            close: () => void server.close()
          })
        )
      })
    }),
    ({ close }) => Effect.sync(close)
  )
)
