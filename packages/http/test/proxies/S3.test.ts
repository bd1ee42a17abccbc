/**
 * The S3 API behind nginx with the documented configuration: what clients sign must arrive unchanged.
 */
import { GetObjectCommand, ListBucketsCommand, PutObjectCommand } from "@aws-sdk/client-s3"
import * as Requires from "@holdfast/testing/Requires"
import { expect, it, onTestFinished } from "vitest"
import * as S3Server from "../s3/S3Server.ts"
import * as Sign from "../s3/Sign.ts"
import * as TestServer from "../support/TestServer.ts"
import * as Proxies from "./support/Proxies.ts"

Requires.requires(Proxies.nginxMissing).describe("S3 API behind nginx", () => {
  it("keys with any characters, signed in headers and in the query → accepted", async () => {
    const server = await TestServer.start()
    onTestFinished(() => server.close())
    const nginx = await Proxies.startNginx(server.url)
    const { bucketId, tenantId } = await server.makeBucket()
    const token = await S3Server.makeToken(server, tenantId)
    const client = S3Server.client(nginx.url, token)
    onTestFinished(() => client.destroy())
    const { Buckets } = await client.send(new ListBucketsCommand({}))
    const Bucket = Buckets?.[0]?.Name ?? bucketId
    for (const Key of ["a b/ü+c.txt", "100%25/~(x)'!*&=@:;,$", "a/b?c#d"]) {
      await client.send(new PutObjectCommand({ Bucket, Key, Body: Key }))
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }))
      expect(await Body?.transformToString()).toBe(Key)
      const path = Key.split("/").map(encodeURIComponent).join("/")
      const { headers, url } = Sign.sign(`${nginx.url}/s3/${Bucket}/${path}`, token, { expires: 60 })
      expect(await (await fetch(url, { headers })).text()).toBe(Key)
    }
  })
})
