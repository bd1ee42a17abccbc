/**
 * Verification of deliveries: what is refused, and why. packages/http tests it against deliveries of a service.
 */
import { verifyWebhook, WebhookRefused, type WebhookRefusalCode } from "@holdfast/client/webhooks"
import { randomBytes } from "node:crypto"
import { Webhook } from "standardwebhooks"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"

/** The example of the standard. */
const example = {
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  headers: {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
  },
  body: '{"test": 2432232314}'
}
const now = 1_614_265_330_000

const event = {
  type: "content.replaced",
  timestamp: "2021-02-25T15:02:10.000Z",
  data: { tenantId: "ten_1", version: 2 }
}
const body = JSON.stringify(event)
const accepted = { id: "evt_1", ...event }

const makeSecret = () => `whsec_${randomBytes(24).toString("base64")}`

/** Returns the headers of a delivery that the library of Standard Webhooks signs. */
const sign = (secrets: ReadonlyArray<string>, text = body, at = now) => ({
  "webhook-id": "evt_1",
  "webhook-timestamp": String(at / 1000),
  "webhook-signature": secrets.map((one) => new Webhook(one).sign("evt_1", new Date(at), text)).join(" ")
})

const codeOf = async (result: Promise<unknown>): Promise<WebhookRefusalCode> => {
  const error: unknown = await result.then(
    () => undefined,
    (reason: unknown) => reason
  )
  if (!(error instanceof WebhookRefused)) throw new Error(`not refused: ${String(error)}`)
  expect(error).toMatchObject({ _tag: "WebhookRefused", status: 400 })
  return error.code
}

describe("verifyWebhook", () => {
  const secret = makeSecret()

  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now }))
  afterEach(() => void vi.useRealTimers())

  it("example of the standard → its signature is valid, its body is no event", async () => {
    expect(await codeOf(verifyWebhook(example))).toBe("body_malformed")
    expect(await codeOf(verifyWebhook({ ...example, body: '{"test": 2432232315}' }))).toBe("signature_mismatch")
  })

  it("web Headers, headers of Node, names in upper case, values in lists → the event", async () => {
    const headers = sign([secret])
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
    for (const one of [new Headers(headers), headers, upper, lists]) {
      expect(await verifyWebhook({ secret, headers: one, body })).toEqual(accepted)
    }
  })

  it("body in bytes, with characters beyond ASCII → the event", async () => {
    const text = JSON.stringify({ ...event, data: { ...event.data, reason: "Zoë" } })
    const result = await verifyWebhook({ secret, headers: sign([secret], text), body: Buffer.from(text) })
    expect(result.data).toEqual({ tenantId: "ten_1", version: 2, reason: "Zoë" })
  })

  it("rotation: two signatures or two secrets → the event with either secret", async () => {
    const former = makeSecret()
    const both = sign([secret, former])
    for (const one of [secret, former, [former, secret]]) {
      expect(await verifyWebhook({ secret: one, headers: both, body })).toEqual(accepted)
    }
    expect(await verifyWebhook({ secret: [secret, former], headers: sign([former]), body })).toEqual(accepted)
  })

  it("another secret, id, time or body, a signature of another version → signature_mismatch", async () => {
    const headers = sign([secret])
    const signature = headers["webhook-signature"]
    const changed: ReadonlyArray<readonly [object, string]> = [
      [sign([makeSecret()]), body],
      [{ ...headers, "webhook-id": "evt_2" }, body],
      [{ ...headers, "webhook-timestamp": String(now / 1000 - 1) }, body],
      [headers, `${body} `],
      [headers, ""],
      [{ ...headers, "webhook-signature": signature.replace("v1,", "v1a,") }, body],
      [{ ...headers, "webhook-signature": signature.slice("v1,".length) }, body],
      [{ ...headers, "webhook-signature": signature.slice(0, -4) }, body],
      [{ ...headers, "webhook-signature": "v1, v1,% v1,====" }, body]
    ]
    for (const [one, text] of changed) {
      expect(await codeOf(verifyWebhook({ secret, headers: { ...one }, body: text }))).toBe("signature_mismatch")
    }
  })

  it("time of the attempt: within the tolerance → the event; before or after it → timestamp_out_of_range", async () => {
    for (const seconds of [-300, 300]) {
      const headers = sign([secret], body, now + seconds * 1000)
      expect(await verifyWebhook({ secret, headers, body })).toEqual(accepted)
    }
    for (const seconds of [-301, 301]) {
      const headers = sign([secret], body, now + seconds * 1000)
      expect(await codeOf(verifyWebhook({ secret, headers, body }))).toBe("timestamp_out_of_range")
      expect(await verifyWebhook({ secret, headers, body, tolerance: 301 })).toEqual(accepted)
    }
  })

  it("header missing, empty, repeated or malformed → headers_missing", async () => {
    const headers = sign([secret])
    for (const name of Object.keys(headers)) {
      for (const value of [undefined, "", ["a", "b"]]) {
        const one = { ...headers, [name]: value }
        expect(await codeOf(verifyWebhook({ secret, headers: one, body }))).toBe("headers_missing")
      }
    }
    for (const time of ["-1", "1e9", "1614265330.5", "soon"]) {
      const one = new Headers({ ...headers, "webhook-timestamp": time })
      expect(await codeOf(verifyWebhook({ secret, headers: one, body }))).toBe("headers_missing")
    }
  })

  it("body that a parser has read, or none → body_not_raw", async () => {
    for (const one of [event, undefined, null] as ReadonlyArray<unknown>) {
      const result = verifyWebhook({ secret, headers: sign([secret]), body: one as string })
      expect(await codeOf(result)).toBe("body_not_raw")
    }
  })

  it("signed body that is no event → body_malformed", async () => {
    for (const text of ["", "{", "null", "[]", '{"type":"x"}', '{"type":"x","timestamp":"y","data":null}']) {
      expect(await codeOf(verifyWebhook({ secret, headers: sign([secret], text), body: text }))).toBe("body_malformed")
    }
  })

  it("secret from a file with a line break at its end → the event", async () => {
    for (const end of ["\n", "\r\n"]) {
      expect(await verifyWebhook({ secret: secret + end, headers: sign([secret]), body })).toEqual(accepted)
    }
  })

  it("secret that the service did not return, or none → TypeError, whatever the request", async () => {
    // Object(…): a variable of the environment that is not set, whatever its type says.
    const { unset } = Object({})
    for (const one of ["", "whsec_", "whsec_%", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", [], [secret, ""], unset]) {
      const refused = expect(verifyWebhook({ secret: one, headers: {}, body: "" })).rejects
      await refused.toThrow(/^(?:A secret is whsec_ and base64\.|Pass at least one secret\.)/)
      await expect(verifyWebhook({ secret: one, headers: {}, body: "" })).rejects.toBeInstanceOf(TypeError)
    }
  })
})
