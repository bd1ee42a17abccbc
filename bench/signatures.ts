/**
 * Measures how long the signature of a request to the S3 API takes: `node bench/signatures.ts`.
 *
 * One process checks the signature of an upload by the AWS SDK, as the service does for each request: it reads the address and what the
 * request states, and computes the signature. Prints the processor time of a check.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { createHash } from "node:crypto"
import * as Address from "../packages/http/src/s3/Address.ts"
import * as CanonicalRequest from "../packages/http/src/s3/signature/CanonicalRequest.ts"
import * as SignatureFields from "../packages/http/src/s3/signature/SignatureFields.ts"
import * as SigningKeys from "../packages/http/src/s3/signature/SigningKeys.ts"
import * as VerifySignature from "../packages/http/src/s3/signature/VerifySignature.ts"

const checks = 20_000
const rounds = 7

const endpoint: Address.Endpoint = { path: "/s3" }
const deriveKey = SigningKeys.make()
const secret = "a".repeat(40)
const now = Date.now()
const timestamp = `${new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`
const scope = { accessKey: `tok_${"0".repeat(32)}`, date: timestamp.slice(0, 8), region: "us-east-1" }
const names = "content-length;content-type;host;x-amz-checksum-crc32;x-amz-content-sha256;x-amz-date;x-amz-user-agent"
const payloadHash = createHash("sha256").update("Hello").digest("hex")
const path = "/s3/photos/2026/11/a%20photo.jpg"
const url = `${path}?x-id=PutObject`
const headers: Record<string, string> = {
  "content-length": "5",
  "content-type": "image/jpeg",
  host: "files.example.com",
  "user-agent": "aws-sdk-js/3.900.0",
  "x-amz-checksum-crc32": "9+eyQg==",
  "x-amz-content-sha256": payloadHash,
  "x-amz-date": timestamp,
  "x-amz-user-agent": "aws-sdk-js/3.900.0"
}
const canonical = CanonicalRequest.write({
  method: "PUT",
  path,
  query: CanonicalRequest.canonicalQuery("x-id=PutObject"),
  headers,
  signedHeaders: names,
  payloadHash
})
const place = `${scope.date}/${scope.region}/s3/aws4_request`
const text = `AWS4-HMAC-SHA256\n${timestamp}\n${place}\n${createHash("sha256").update(canonical).digest("hex")}`
const signature = SigningKeys.sign(deriveKey(secret, scope), text)
headers["authorization"] =
  `AWS4-HMAC-SHA256 Credential=${scope.accessKey}/${place}, SignedHeaders=${names}, Signature=${signature}`

const check = (): void => {
  const address = Effect.runSync(Address.parse(endpoint, url, "files.example.com"))
  const fields = Result.getOrThrow(SignatureFields.find(address, headers))
  Result.getOrThrow(VerifySignature.verify({ method: "PUT", url, headers }, fields, { secret, now, deriveKey }))
}

const results: Array<number> = []
for (let round = 0; round < rounds; round++) {
  const before = process.cpuUsage()
  for (let count = 0; count < checks; count++) check()
  const { system, user } = process.cpuUsage(before)
  results.push((user + system) / checks)
}
const sorted = results.toSorted((a, b) => a - b)
process.stdout.write(`µs of processor time for a check: ${sorted.map((one) => one.toFixed(1)).join(" ")}\n`)
process.stdout.write(`median: ${(sorted[(rounds - 1) / 2] ?? Number.NaN).toFixed(1)}\n`)
