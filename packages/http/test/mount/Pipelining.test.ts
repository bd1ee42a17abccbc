/**
 * Requests that a client sends over one connection before it has the answers to earlier ones, to a mounted API.
 */
import { describe, expect, it } from "vitest"
import { toNodeListener, toS3Handler } from "../../src/index.ts"
import * as RawHttp from "../support/RawHttp.ts"
import * as MountedHoldfast from "./MountedHoldfast.ts"

const mounts = {
  API: async () => {
    const opened = await MountedHoldfast.openHoldfast()
    const path = `/api/v1${opened.files}?apiKey=${opened.key}`
    return { url: await MountedHoldfast.serve(toNodeListener(opened.holdfast)), path, status: 200 }
  },
  "S3 API": async () => {
    const { holdfast } = await MountedHoldfast.openHoldfast()
    return { url: await MountedHoldfast.serve(toS3Handler(holdfast)), path: "/media", status: 403 }
  }
}

const count = (answer: string, status: number): number => answer.split(`HTTP/1.1 ${status} `).length - 1

describe.each(Object.entries(mounts))("%s: requests that do not wait for answers", (_, mount) => {
  it("20 → all answered; 500 → the first 66, then the connection is closed", async () => {
    const { path, status, url } = await mount()
    const request = `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
    const last = request.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")
    expect(count(await RawHttp.sendRaw(url, request.repeat(19) + last), status)).toBe(20)
    const answer = await RawHttp.sendRaw(url, request.repeat(500))
    expect(count(answer, status)).toBe(66)
    expect(answer.split("HTTP/1.1").at(-1)).toMatch(/connection: close/i)
  })
})
