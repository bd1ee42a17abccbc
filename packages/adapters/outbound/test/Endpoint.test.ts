import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Endpoint from "../src/Endpoint.ts"

describe("Endpoint", () => {
  it.each(["https://s3.example.com", "http://storage.example.com:9000/base/", "https://[2606:4700::1111]:8443"])(
    "%s → parsed",
    (text) => assert.strictEqual(Result.getOrThrow(Endpoint.parse(text)).href, new URL(text).href)
  )

  it.each([
    ["s3.example.com", "It is not a URL."],
    ["", "It is not a URL."],
    ["https://", "It is not a URL."],
    ["ftp://example.com", "It begins neither with https:// nor http://."],
    ["file:///etc/passwd", "It begins neither with https:// nor http://."],
    ["localhost:9000", "It begins neither with https:// nor http://."],
    ["https://user@example.com", "It contains a user name or a password."],
    ["https://:password@example.com", "It contains a user name or a password."],
    ["https://example.com?", "It contains a query or a fragment."],
    ["https://example.com/?a=b", "It contains a query or a fragment."],
    ["https://example.com/#", "It contains a query or a fragment."]
  ])("%j → refused: %s", (text, reason) => assert.deepStrictEqual(Endpoint.parse(text), Result.fail(reason)))
})
