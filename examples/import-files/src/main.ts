/**
 * `node main.ts DIRECTORY`, or `node main.ts s3://BUCKET` with the credentials and `AWS_ENDPOINT_URL` of the AWS SDK in the
 * environment: copies all files into the bucket that `HOLDFAST_URL`, `HOLDFAST_KEY`, `HOLDFAST_TENANT` and `HOLDFAST_BUCKET` name.
 */
import { S3Client } from "@aws-sdk/client-s3"
import { createClient } from "@holdfast/http/client"
import { importFiles } from "./Import.ts"
import * as Sources from "./Sources.ts"

const { HOLDFAST_BUCKET, HOLDFAST_KEY, HOLDFAST_TENANT, HOLDFAST_URL } = process.env
const [from] = process.argv.slice(2)
if (!from || !HOLDFAST_URL || !HOLDFAST_KEY || !HOLDFAST_TENANT || !HOLDFAST_BUCKET) {
  throw new Error(
    "Pass a directory or s3://BUCKET, and set HOLDFAST_URL, HOLDFAST_KEY, HOLDFAST_TENANT, HOLDFAST_BUCKET."
  )
}

const { failed, ...counts } = await importFiles({
  client: createClient({ url: HOLDFAST_URL, apiKey: HOLDFAST_KEY }),
  bucket: { tenantId: HOLDFAST_TENANT, bucketId: HOLDFAST_BUCKET },
  source: from.startsWith("s3://")
    ? Sources.fromS3(new S3Client({ forcePathStyle: true }), from.slice("s3://".length))
    : Sources.fromDirectory(from)
})
process.stdout.write(`${JSON.stringify(counts)}\n`)
for (const { key, reason } of failed) process.stderr.write(`${key}: ${reason}\n`)
process.exitCode = failed.length === 0 ? 0 : 1
