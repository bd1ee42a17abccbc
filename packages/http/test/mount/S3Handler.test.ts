/**
 * The S3 API mounted in other servers.
 */
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from "@aws-sdk/client-s3"
import { toS3Handler } from "@holdfast/http"
import express from "express"
import { expect, it, onTestFinished } from "vitest"
import * as S3Server from "../s3/S3Server.ts"
import * as MountedHoldfast from "./MountedHoldfast.ts"

const makeCredentials = async ({ holdfast, ref: { tenantId }, root }: MountedHoldfast.OpenHoldfast) => {
  const { items } = await holdfast.members.list(root, { tenantId })
  const member = { id: items[0]?.id ?? "" }
  const { id: tokenId } = await holdfast.tokens.create(root, { tenantId, name: "s3", member })
  return { tokenId, ...(await holdfast.tokens.createS3Credentials(root, { tenantId, tokenId })) }
}

it("toS3Handler: below a path of Express → an object stored and read, refused after its revocation", async () => {
  const opened = await MountedHoldfast.openHoldfast()
  const { holdfast } = opened
  const app = express()
  app.use("/s3", toS3Handler(holdfast, { prefix: "/s3" }))
  const credentials = await makeCredentials(opened)
  const client = S3Server.client(await MountedHoldfast.serve(app), credentials)
  onTestFinished(() => client.destroy())
  const object = { Bucket: "media", Key: "a b/ü.txt" }
  await client.send(new PutObjectCommand({ ...object, Body: "Hello" }))
  const { Body } = await client.send(new GetObjectCommand(object))
  expect(await Body?.transformToString()).toBe("Hello")
  const { Contents } = await client.send(new ListObjectsV2Command({ Bucket: "media" }))
  expect(Contents?.map(({ Key }) => Key)).toEqual([object.Key])
  const { tenantId } = opened.ref
  const { tokenId } = credentials
  expect(await holdfast.tokens.getS3Credentials(opened.root, { tenantId, tokenId })).toMatchObject({
    accessKeyId: credentials.accessKeyId
  })
  await holdfast.tokens.revokeS3Credentials(opened.root, { tenantId, tokenId })
  await expect(client.send(new GetObjectCommand(object))).rejects.toMatchObject({ name: "InvalidAccessKeyId" })
})
