import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as JsonNegotiation from "../../../src/handlers/support/JsonNegotiation.ts"

/** Reads a body that has arrived as a whole, and uses the thread for longer than the budget of a turn. */
const handle = (tenant: string, bytes: number, handled: Array<string>) =>
  Effect.map(
    JsonNegotiation.readBytes(
      HttpServerRequest.fromWeb(
        new Request(`http://127.0.0.1/api/v1/tenants/${tenant}/buckets`, {
          method: "POST",
          body: new Uint8Array(bytes)
        })
      )
    ),
    () => {
      handled.push(tenant)
      const end = performance.now() + 5
      while (performance.now() < end);
    }
  )

it.live("ten large JSON bodies of one tenant, then one of another → it is among the first five", () =>
  Effect.gen(function* () {
    const handled: Array<string> = []
    const tenants = [...Array.from({ length: 10 }, () => "a"), "b"]
    yield* Effect.all(
      tenants.map((tenant) => handle(tenant, 128 * 1024, handled)),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(handled, 11)
    assert.isBelow(handled.indexOf("b"), 5)
  })
)
