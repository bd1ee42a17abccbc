/**
 * Signatures, payloads and checksums of the S3 API.
 */
import { PutObjectCommand, type S3Client } from "@aws-sdk/client-s3"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createHash, randomBytes } from "node:crypto"
import { connect } from "node:net"
import { Readable } from "node:stream"
import { text as textOf } from "node:stream/consumers"
import { crc32 } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Operation } from "../../src/s3/Operation.ts"
import * as S3Response from "../../src/s3/S3Response.ts"
import * as TestServer from "../support/TestServer.ts"
import * as S3Server from "./S3Server.ts"
import * as Sign from "./Sign.ts"

let server: TestServer.TestServer
let s3: Awaited<ReturnType<typeof S3Server.serve>>
let handle: Awaited<ReturnType<typeof S3Server.handler>>
let tenantId: string
let token: S3Server.S3Token
let sdk: S3Client

const md5 = (data: string | Uint8Array) => createHash("md5").update(data).digest("hex")

/** Answers with what it has received, as the entity tag and headers. */
const echo: Operation = {
  name: "PutObject",
  method: "PUT",
  target: "object",
  make: Effect.succeed((call) =>
    Effect.gen(function* () {
      const payload = yield* call.openPayload
      let size = 0
      let parts = 0
      yield* Stream.runForEach(payload.content, (chunk) =>
        Effect.sync(() => {
          size += chunk.length
          parts++
        })
      )
      const { algorithm = "", value = "" } = payload.checksum() ?? {}
      const headers = {
        etag: `"${payload.md5()}"`,
        "x-size": String(size),
        "x-parts": String(parts),
        "x-checksum": `${algorithm} ${value}`
      }
      return S3Response.empty({ headers })
    })
  )
}

/** Answers with the name of the root of a document, and the MD5 of the texts of its elements. */
const readRoot: Operation = {
  name: "DeleteObjects",
  method: "POST",
  target: "bucket",
  query: { delete: true },
  make: Effect.succeed((call) =>
    Effect.map(call.readXml({ maxBytes: 4_000_000, maxElements: 100_000 }), ({ children, name }) =>
      S3Response.xml(name, [["Texts", md5(children.map(({ text }) => text).join())]])
    )
  )
}

beforeAll(async () => {
  server = await TestServer.start()
  ;({ tenantId } = await server.makeTenant())
  s3 = await S3Server.serve(server, [echo, readRoot])
  handle = await S3Server.handler(server, [echo, readRoot])
  token = await S3Server.makeToken(server, tenantId)
  sdk = S3Server.client(s3.url, token)
})

afterAll(async () => {
  sdk.destroy()
  await s3.close()
  await server.close()
})

const codeOf = async (answer: Response): Promise<string> => {
  const text = await answer.text()
  return answer.ok ? "ok" : (/<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? text)
}

const put = async (options: Sign.Options, body: string, path = "/s3/b/k") => {
  const { headers, url } = Sign.sign(`${s3.url}${path}`, token, { method: "PUT", ...options })
  return codeOf(await fetch(url, { method: "PUT", headers, body }))
}

describe("signatures", () => {
  it("keys with any characters, signed by the AWS SDK → accepted", async () => {
    for (const Key of ["a b/c+d&e=f?g", "ü/\u{1F600}", "a'(b)*!~", "%41%2f", "a//b/../c"]) {
      const answer = await sdk.send(new PutObjectCommand({ Bucket: "b", Key, Body: Key }))
      expect(answer.ETag).toBe(`"${md5(Key)}"`)
    }
  })

  it("altered method, path, query, header, payload hash, secret or date → SignatureDoesNotMatch", async () => {
    const { headers, url } = Sign.sign(`${s3.url}/s3/b/k?x=1`, token, {
      method: "PUT",
      headers: { "x-amz-meta-a": "1" }
    })
    const send = async (address: string, changed: Record<string, string>) =>
      codeOf(await fetch(address, { method: "PUT", headers: { ...headers, ...changed }, body: "x" }))
    expect(await send(url, {})).toBe("ok")
    expect(await send(url.replace("/b/k", "/b/l"), {})).toBe("SignatureDoesNotMatch")
    expect(await send(url.replace("x=1", "x=2"), {})).toBe("SignatureDoesNotMatch")
    expect(await send(url, { "x-amz-meta-a": "2" })).toBe("SignatureDoesNotMatch")
    expect(await send(url, { "x-amz-content-sha256": "0".repeat(64) })).toBe("SignatureDoesNotMatch")
    expect(await send(url, { "x-amz-meta-b": "not signed" })).toBe("AccessDenied")
    const other = Sign.sign(`${s3.url}/s3/b/k`, { ...token, secretAccessKey: "other" }, { method: "PUT" })
    expect(await codeOf(await fetch(other.url, { method: "PUT", headers: other.headers, body: "" }))).toBe(
      "SignatureDoesNotMatch"
    )
  })

  it("malformed statements → an error, and never a failure of the server", async () => {
    const { headers } = Sign.sign(`${s3.url}/s3/b/k`, token, { method: "PUT" })
    const good = headers["authorization"] ?? ""
    for (const authorization of [
      "",
      "AWS4-HMAC-SHA256",
      "AWS a:b",
      "Bearer x",
      good.replace("/s3/", "/ec2/"),
      good.replace(/Signature=.*/, "Signature=zz"),
      good.replace(/Credential=[^/]+/, "Credential=other"),
      good.replace(/SignedHeaders=[^,]+/, "SignedHeaders=x-amz-date"),
      good.replace(/SignedHeaders=/, "SignedHeaders=constructor;toJSON;__proto__;"),
      good.replace(/SignedHeaders=[^,]+/, `SignedHeaders=${"host;".repeat(500)}host`),
      good.replace(token.accessKeyId, "tok_00000000000070008000000000000000")
    ]) {
      const answer = await fetch(`${s3.url}/s3/b/k`, { method: "PUT", headers: { ...headers, authorization } })
      expect([400, 403]).toContain(answer.status)
    }
    const anonymous = await fetch(`${s3.url}/s3/b/k`)
    expect(await codeOf(anonymous)).toBe("AccessDenied")
  })

  it("signature version 2 in the header or the query → InvalidRequest with the message of Amazon S3", async () => {
    const headers = { authorization: `AWS ${token.accessKeyId}:c2lnbmF0dXJl` }
    const signed = await fetch(`${s3.url}/s3/b/k`, { headers })
    expect(signed.status).toBe(400)
    // s3cmd compares this message, to go back to version 4 after it has tried version 2.
    const message = "The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256."
    expect(await signed.text()).toContain(`<Code>InvalidRequest</Code><Message>${message}</Message>`)
    const query = `AWSAccessKeyId=${token.accessKeyId}&Expires=1796048174&Signature=c2lnbmF0dXJl`
    const presigned = await fetch(`${s3.url}/s3/b/k?${query}`)
    expect(presigned.status).toBe(400)
    expect(await presigned.text()).toContain(`<Code>InvalidRequest</Code><Message>${message} `)
  })

  it("time more than 15 minutes away → RequestTimeTooSkewed", async () => {
    const in14 = new Date(Date.now() + 14 * 60_000)
    const before16 = new Date(Date.now() - 16 * 60_000)
    expect(await put({ at: in14 }, "x")).toBe("ok")
    expect(await put({ at: before16 }, "x")).toBe("RequestTimeTooSkewed")
  })

  it("presigned: valid, expired, altered, of a week and a second", async () => {
    const path = "/s3/b/a%20b?x-amz-checksum-crc32=AAAAAA%3D%3D&x-amz-sdk-checksum-algorithm=CRC32"
    expect(await put({ expires: 60 }, "presigned", path)).toBe("ok")
    expect(await put({ expires: 60, at: new Date(Date.now() - 61_000) }, "x")).toBe("AccessDenied")
    expect(await put({ expires: 604_801 }, "x")).toBe("AccessDenied")
    expect(await put({ expires: 0 }, "x")).toBe("AccessDenied")
    const { url } = Sign.sign(`${s3.url}/s3/b/k`, token, { method: "PUT", expires: 60 })
    const altered = await fetch(url.replace("Expires=60", "Expires=61"), { method: "PUT", body: "" })
    expect(await codeOf(altered)).toBe("SignatureDoesNotMatch")
  })
})

describe("credentials", () => {
  const path = (made: S3Server.S3Token) => `/tenants/${tenantId}/tokens/${made.tokenId}`
  const put = async (credentials: S3Server.Credentials) => {
    const { headers, url } = Sign.sign(`${s3.url}/s3/b/k`, credentials, { method: "PUT" })
    return codeOf(await fetch(url, { method: "PUT", headers, body: "x" }))
  }

  it("credentials created again → the former secret ends at once; revoked → unknown, the API key stays", async () => {
    const made = await S3Server.makeToken(server, tenantId)
    expect(await put(made)).toBe("ok")
    const answer = await server.post(`${path(made)}/s3-credentials`)
    const renewed = (await answer.json()) as S3Server.Credentials
    expect(answer.headers.get("location")).toMatch(/s3-credentials$/)
    expect(renewed.accessKeyId).toBe(made.tokenId.replaceAll("-", ""))
    expect(await put(made)).toBe("SignatureDoesNotMatch")
    expect(await put(renewed)).toBe("ok")
    const shown = await (await server.get(`${path(made)}/s3-credentials`)).text()
    expect(JSON.parse(shown)).toEqual({ accessKeyId: renewed.accessKeyId, createdAt: expect.any(String) })
    expect((await server.delete(`${path(made)}/s3-credentials`)).status).toBe(204)
    expect(await put(renewed)).toBe("InvalidAccessKeyId")
    expect((await server.get(`${path(made)}/s3-credentials`)).status).toBe(404)
    expect((await server.get(path(made))).status).toBe(200)
  })

  it("token revoked, member removed → the credentials end", async () => {
    const [one, other] = [await S3Server.makeToken(server, tenantId), await S3Server.makeToken(server, tenantId)]
    expect([await put(one), await put(other)]).toEqual(["ok", "ok"])
    await server.delete(path(one))
    expect(await put(one)).toBe("InvalidAccessKeyId")
    expect((await server.post(`${path(one)}/s3-credentials`)).status).toBe(400)
    await server.delete(`/tenants/${tenantId}/members/${other.memberId}?reassignTo=none`)
    const { headers, url } = Sign.sign(`${server.url}/s3/`, other)
    expect(await codeOf(await fetch(url, { headers }))).toMatch(/^(?:AccessDenied|InvalidAccessKeyId)$/)
    await server.delete(path(other))
    expect(await put(other)).toBe("InvalidAccessKeyId")
  })

  it("token for pages of some origins → only requests from those", async () => {
    const made = await S3Server.makeToken(server, tenantId, { allowedOrigins: ["https://app.example.com"] })
    const send = async (origin: Record<string, string>) => {
      const { headers, url } = Sign.sign(`${s3.url}/s3/b/k`, made, { method: "PUT" })
      return codeOf(await fetch(url, { method: "PUT", headers: { ...headers, ...origin }, body: "x" }))
    }
    expect(await send({ origin: "https://app.example.com" })).toBe("ok")
    expect(await send({ origin: "https://other.example.com" })).toBe("AccessDenied")
    expect(await send({})).toBe("AccessDenied")
  })

  it("actor with a token that is limited more → 403; for its own token → 201", async () => {
    const input = (expiresIn: number, memberId: string, scope?: object) => ({
      name: "t",
      member: { id: memberId },
      expiresAt: new Date(Date.now() + expiresIn).toISOString(),
      scope
    })
    type Made = { readonly id: string; readonly key: string }
    const make = async (json: object): Promise<Made> =>
      (await (await server.post(`/tenants/${tenantId}/tokens`, { json })).json()) as Made
    const limited = await make(input(3_000_000, token.memberId, { permissions: ["token:manage"] }))
    const brief = await make(input(60_000, token.memberId))
    for (const { id, key } of [limited, brief]) {
      const create = (tokenId: string) =>
        server.post(`/tenants/${tenantId}/tokens/${tokenId}/s3-credentials`, { key }).then(({ status }) => status)
      expect(await create(token.tokenId)).toBe(403)
      expect(await create(id)).toBe(201)
    }
  })
})

/** Returns the order in which a request is answered whose body arrives in one chunk, and another one that begins when the chunk is read. */
const orderWith = async ({ headers, url }: ReturnType<typeof Sign.sign>, method: string, bytes: Uint8Array) => {
  const order: Array<string> = []
  let other: Promise<unknown> | undefined
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    other = fetch(s3.url, { method: "OPTIONS" }).then(() => order.push("other"))
    controller.enqueue(bytes)
    controller.close()
  }
  const body = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 })
  const { host } = new URL(url)
  const request = new Request(url, { method, headers: { ...headers, host }, body, duplex: "half" })
  order.push(await codeOf(await handle(request)))
  await other
  return order
}

describe("payloads", () => {
  const text = `The quick brown fox${" jumps".repeat(2000)}`
  const crcOf = (data: string) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(crc32(data))
    return bytes.toString("base64")
  }

  it("checksums of the AWS SDK: header, and trailer of a stream → verified", async () => {
    const Body = randomBytes(300_000)
    for (const ChecksumAlgorithm of ["CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"] as const) {
      const command = (body: Buffer | Readable) =>
        new PutObjectCommand({ Bucket: "b", Key: "k", Body: body, ContentLength: Body.length, ChecksumAlgorithm })
      const answer = await sdk.send(command(Body))
      const streamed = await sdk.send(command(Readable.from([Body.subarray(0, 8192), Body.subarray(8192)])))
      expect([answer.ETag, streamed.ETag]).toEqual([`"${md5(Body)}"`, `"${md5(Body)}"`])
    }
  })

  it("signed payload, Content-MD5, checksum: other bytes → an error", async () => {
    const hash = createHash("sha256").update(text).digest("hex")
    expect(await put({ payloadHash: hash }, text)).toBe("ok")
    expect(await put({ payloadHash: hash }, `${text}!`)).toBe("XAmzContentSHA256Mismatch")
    const declare = (name: string, value: string) => put({ headers: { [name]: value } }, text)
    const right = Buffer.from(md5(text), "hex").toString("base64")
    expect(await declare("content-md5", right)).toBe("ok")
    expect(await declare("content-md5", Buffer.from(md5("other"), "hex").toString("base64"))).toBe("BadDigest")
    expect(await declare("content-md5", "not base64")).toBe("InvalidDigest")
    expect(await declare("x-amz-checksum-crc32", crcOf(text))).toBe("ok")
    expect(await declare("x-amz-checksum-crc32", crcOf("other"))).toBe("BadDigest")
    expect(await declare("x-amz-checksum-crc32", "AAAA")).toBe("BadDigest")
    for (const payloadHash of ["0".repeat(63), "constructor"]) {
      expect(await put({ payloadHash }, text)).toBe("InvalidArgument")
    }
  })

  const stream = async (
    payloadHash: string,
    body: (signed: ReturnType<typeof Sign.sign>) => string,
    headers: Record<string, string> = {}
  ) => {
    const length = { "x-amz-decoded-content-length": String(text.length), ...headers }
    const signed = Sign.sign(`${s3.url}/s3/b/k`, token, { method: "PUT", payloadHash, headers: length })
    return codeOf(await fetch(signed.url, { method: "PUT", headers: signed.headers, body: body(signed) }))
  }
  const halves = [text.slice(0, 8192), text.slice(8192)]

  it("signed chunks: right → ok; altered, shortened, swapped → an error", async () => {
    const way = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
    expect(await stream(way, (signed) => Sign.chunked(signed, halves))).toBe("ok")
    expect(await stream(way, (signed) => Sign.chunked(signed, halves).replace("brown", "green"))).toBe(
      "SignatureDoesNotMatch"
    )
    expect(await stream(way, (signed) => Sign.chunked(signed, halves.slice(0, 1)))).toBe("IncompleteBody")
    expect(await stream(way, (signed) => Sign.chunked(signed, halves).replace(/0;chunk.*$/s, ""))).toBe(
      "IncompleteBody"
    )
    expect(await stream(way, (signed) => Sign.chunked({ ...signed, signature: "0".repeat(64) }, halves))).toBe(
      "SignatureDoesNotMatch"
    )
  })

  it("signed chunks with a trailer → its checksum and its signature are checked", async () => {
    const way = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"
    const declared = { "x-amz-trailer": "x-amz-checksum-crc32" }
    const send = (value: string, change = (body: string) => body) =>
      stream(way, (signed) => change(Sign.chunked(signed, halves, ["x-amz-checksum-crc32", value])), declared)
    expect(await send(crcOf(text))).toBe("ok")
    expect(await send(crcOf("other"))).toBe("BadDigest")
    expect(await send(crcOf(text), (body) => body.replace("x-amz-checksum-crc32:", "x-amz-checksum-crc32:x"))).toBe(
      "SignatureDoesNotMatch"
    )
  })

  it("chunks without signatures and a trailer → its checksum is checked", async () => {
    const way = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
    const size = text.length.toString(16)
    const send = (value: string) =>
      stream(way, () => `${size}\r\n${text}\r\n0\r\nx-amz-checksum-crc32:${value}\r\n\r\n`, {
        "x-amz-trailer": "x-amz-checksum-crc32"
      })
    expect(await send(crcOf(text))).toBe("ok")
    expect(await send(crcOf("other"))).toBe("BadDigest")
  })

  it("trailer that is repeated → IncompleteBody", async () => {
    const body = (lines: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n${lines}\r\n`
    const send = (lines: string) =>
      stream("STREAMING-UNSIGNED-PAYLOAD-TRAILER", () => body(lines), { "x-amz-trailer": "x-amz-checksum-crc32" })
    const trailer = `x-amz-checksum-crc32:${crcOf(text)}\r\n`
    expect(await send(trailer)).toBe("ok")
    expect(await send(trailer.repeat(2))).toBe("IncompleteBody")
  })

  it("chunk of less than 8 KiB that is not the last one → InvalidChunkSizeError, with or without signatures", async () => {
    const send = async (payloadHash: string, sizes: ReadonlyArray<number>) => {
      const chunks = sizes.map((size) => "x".repeat(size))
      const length = { "x-amz-decoded-content-length": String(chunks.join("").length) }
      const signed = Sign.sign(`${s3.url}/s3/b/k`, token, { method: "PUT", payloadHash, headers: length })
      const isSigned = payloadHash === "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
      const plain = [...chunks, ""].map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}${chunk && "\r\n"}`)
      const body = isSigned ? Sign.chunked(signed, chunks) : `${plain.join("")}\r\n`
      const answer = await fetch(signed.url, { method: "PUT", headers: signed.headers, body })
      return answer.ok ? "ok" : `${answer.status} ${/<Code>.*<\/BadChunkSize>/.exec(await answer.text())?.[0]}`
    }
    const refused = (chunk: number, size: number) =>
      `403 <Code>InvalidChunkSizeError</Code><Message>Only the last chunk is allowed to have a size less than 8192 bytes</Message><Chunk>${chunk}</Chunk><BadChunkSize>${size}</BadChunkSize>`
    for (const way of ["STREAMING-AWS4-HMAC-SHA256-PAYLOAD", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"]) {
      expect(await send(way, [8192, 8192, 1])).toBe("ok")
      expect(await send(way, [8191])).toBe("ok")
      expect(await send(way, [8191, 1])).toBe(refused(2, 8191))
      expect(await send(way, [8192, 8192, 100, 8192])).toBe(refused(4, 100))
      expect(
        await send(
          way,
          Array.from({ length: 5000 }, () => 1)
        )
      ).toBe(refused(2, 1))
    }
  })

  it("large content is decoded and hashed → another request is answered meanwhile", async () => {
    const content = Buffer.alloc(32 * 1024 * 1024, "content")
    const digest = createHash("sha256").update(content)
    const payloadHash = digest.copy().digest("hex")
    const headers = { "x-amz-checksum-sha256": digest.digest("base64"), "content-length": String(content.length) }
    const plain = Sign.sign(`${s3.url}/s3/b/k`, token, { method: "PUT", payloadHash, headers })
    expect(await orderWith(plain, "PUT", content)).toEqual(["other", "ok"])

    const signed = Sign.sign(`${s3.url}/s3/b/k`, token, {
      method: "PUT",
      payloadHash: "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
      headers: { "x-amz-decoded-content-length": String(content.length) }
    })
    const chunks = Array.from({ length: content.length / 8192 }, () => "x".repeat(8192))
    const encoded = Buffer.from(Sign.chunked(signed, chunks))
    expect(await orderWith(signed, "PUT", encoded)).toEqual(["other", "ok"])
  })

  it("body that arrives byte by byte → read in few parts", async () => {
    const length = 20_000
    const { headers } = Sign.sign(`${s3.url}/s3/b/k`, token, { method: "PUT" })
    const lines = Object.entries({ ...headers, host: `127.0.0.1:${s3.port}`, connection: "close" })
    const head = `PUT /s3/b/k HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}`
    const socket = connect(s3.port, "127.0.0.1")
    socket.write(`${head}transfer-encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(length)}0\r\n\r\n`)
    const answer = await textOf(socket)
    expect(answer).toContain(`x-size: ${length}\r\n`)
    expect(Number(/x-parts: (\d+)/.exec(answer)?.[1])).toBeLessThan(200)
  })

  it("hostile chunks → an error at once", async () => {
    const way = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
    for (const body of [
      "x".repeat(5000),
      `${"0".repeat(2000)}\r\n`,
      "-1\r\n\r\n",
      "1e3\r\n\r\n",
      "FFFFFFFFFFFFFFFF\r\n",
      "5\r\nabcdef\r\n0\r\n\r\n",
      `0\r\n${"x-a:b\r\n".repeat(2000)}\r\n`,
      `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\nmore`
    ]) {
      expect(await stream(way, () => body)).toBe("IncompleteBody")
    }
  })

  it("document: malformed, too large → MalformedXML, MaxMessageLengthExceeded", async () => {
    const send = async (body: string) => {
      const signed = Sign.sign(`${s3.url}/s3/b?delete=`, token, { method: "POST" })
      return codeOf(await fetch(signed.url, { method: "POST", headers: signed.headers, body }))
    }
    expect(await send("<Delete/>")).toBe("ok")
    expect(await send("<Delete>")).toBe("MalformedXML")
    expect(await send(`<Delete>${"<a/>".repeat(99_999)}</Delete>`)).toBe("ok")
    expect(await send(`<Delete>${"<a/>".repeat(100_000)}</Delete>`)).toBe("MalformedXML")
    expect(await send("x".repeat(4_000_001))).toBe("MaxMessageLengthExceeded")
  })

  const elements = (count: number, text: string) => `<Delete>${`<Key>${text}</Key>`.repeat(count)}</Delete>`
  const signDocument = (text: string) =>
    Sign.sign(`${s3.url}/s3/b?delete=`, token, {
      method: "POST",
      headers: { "content-length": String(Buffer.byteLength(text)) }
    })

  it("document of many slices: characters, line ends and references at their boundaries → the same text", async () => {
    // No character, line end or reference has a length that divides that of a slice.
    const [count, text] = [15_000, "\u{1F600}&#x1F600;ü\r\n&lt;\r日"]
    const document = elements(count, text)
    const { headers, url } = signDocument(document)
    const answer = await fetch(url, { method: "POST", headers, body: document })
    const read = "\u{1F600}\u{1F600}ü\n<\n日"
    expect(await answer.text()).toContain(`<Texts>${md5(Array.from({ length: count }, () => read).join())}</Texts>`)
  })

  it("content of chunked transfer coding without a declared length → accepted", async () => {
    const signed = Sign.sign(`${s3.url}/s3/b/k`, token, { method: "PUT" })
    const body = Readable.toWeb(Readable.from(["text"])) as ReadableStream
    const answer = await fetch(signed.url, {
      method: "PUT",
      headers: signed.headers,
      body,
      duplex: "half"
    } as RequestInit)
    expect(await codeOf(answer)).toBe("ok")
  })
})
