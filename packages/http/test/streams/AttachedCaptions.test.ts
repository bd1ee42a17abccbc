import * as FakeMedia from "@holdfast/testing/transcoding/FakeMedia"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem, json } from "../support/Problems.ts"
import * as StreamServer from "./support/StreamServer.ts"

interface Captions {
  readonly id: string
  readonly language: string
  readonly label: string
}

let server: StreamServer.StreamServer
let bucket: { readonly tenantId: string; readonly bucketId: string }
beforeAll(async () => {
  server = await StreamServer.start()
  bucket = await server.makeBucket()
})
afterAll(() => server.close())

const subRip = "1\n00:00:01,000 --> 00:00:04,000\nHallo <b>du</b> & ich\n"
const german = { language: "de", text: subRip }

const attach = async (streams: string, body: object): Promise<Captions> => {
  const answer = await server.post(`${streams}/captions`, { json: body })
  expect(answer.status).toBe(201)
  return json<Captions>(answer)
}

const list = async (streams: string) =>
  (await json<{ readonly items: ReadonlyArray<Captions> }>(await server.get(`${streams}/captions`))).items

const text = async (path: string) => {
  const answer = await server.get(path)
  expect([path, answer.status]).toEqual([path, 200])
  return answer.text()
}

/** Requests an address of a playlist as a player does: relative to the playlist, without another key. */
const follow = async (playlist: string, address: string) => {
  const answer = await fetch(new URL(address, `${server.baseUrl}${playlist}`))
  return { answer, text: await answer.text() }
}

const files = (id: string) => `captions-${id.slice(4)}`

describe("captions of a video", () => {
  it("attached, listed and removed; the label is the name of the language when absent", async () => {
    const { streams } = await server.makeVideo(bucket)
    expect(await list(streams)).toEqual([])
    const first = await attach(streams, german)
    expect(first).toEqual({
      id: expect.stringMatching(/^cap_/),
      language: "de",
      label: "Deutsch",
      createdAt: expect.any(String)
    })
    const second = await attach(streams, {
      language: "PT-br",
      label: "Para surdos",
      text: "WEBVTT\n\n00:01.000 --> 00:02.000\nOi"
    })
    expect(second).toMatchObject({ language: "pt-BR", label: "Para surdos" })
    expect(await list(streams)).toEqual([first, second])
    const path = `${streams}/captions/${first.id}`
    expect((await server.delete(path)).status).toBe(204)
    await expectProblem(await server.delete(path), 404, "not_found")
    await expectProblem(await server.delete(`${streams}/captions/none`), 404, "not_found")
    expect(await list(streams)).toEqual([second])
  })

  it("limit on the bytes of a bucket: captions count in its usage; beyond it → 403, nothing attached", async () => {
    const path = `/tenants/${bucket.tenantId}/buckets`
    const { id: bucketId } = await json<{ readonly id: string }>(
      await server.post(path, { json: { name: "limited", maxBytes: 100_000 } })
    )
    const { streams } = await server.makeVideo({ tenantId: bucket.tenantId, bucketId })
    const large = { language: "de", text: `WEBVTT\n\n00:01.000 --> 00:02.000\n${"a".repeat(60_000)}` }
    const first = await attach(streams, large)
    const usage = async () =>
      (await json<{ readonly usage: { readonly streamBytes: number } }>(await server.get(`${path}/${bucketId}/usage`)))
        .usage.streamBytes
    const counted = await usage()
    expect(counted).toBeGreaterThan(60_000)
    const refused = await server.post(`${streams}/captions`, { json: large })
    const problem = await expectProblem(refused, 403, "quota_exceeded")
    expect(problem).toMatchObject({ quota: { owner: "bucket", limit: "bytes", maximum: 100_000 } })
    expect(await list(streams)).toEqual([first])
    expect((await server.delete(`${streams}/captions/${first.id}`)).status).toBe(204)
    expect(await usage()).toBeLessThan(counted - 60_000)
    await attach(streams, large)
  })

  it.each([
    ["text of another format", { ...german, text: "1\nHello" }, "/text", "line 1: "],
    ["wrong times", { ...german, text: `WEBVTT\n\n00:01 --> 00:02\nA` }, "/text", "line 3: "],
    ["too long", { ...german, text: "ä".repeat(262_145) }, "/text", "524288 bytes"],
    ["no language", { ...german, language: "und" }, "/language", "BCP 47"],
    ["label with quotes", { ...german, label: 'a"b' }, "/label", "quotes"],
    ["label of two lines", { ...german, label: "a\nURI=x" }, "/label", "control characters"]
  ])("%s → 400 that names the field", async (_, body, pointer, detail) => {
    const { streams } = await server.makeVideo(bucket)
    const answer = await server.post(`${streams}/captions`, { json: body })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      code: "invalid_request",
      errors: [{ pointer, detail: expect.stringContaining(detail) }]
    })
  })

  it("21st of a content → 403 quota_exceeded; file without content or of text → an error", async () => {
    const { streams } = await server.makeVideo(bucket)
    for (let count = 0; count < 20; count++) await attach(streams, german)
    await expectProblem(await server.post(`${streams}/captions`, { json: german }), 403, "quota_exceeded")
    const file = await server.makeFile(bucket, "text", { name: "a.txt" })
    await expectProblem(await server.post(`${file.path}/streams/captions`, { json: german }), 422, "not_a_video")
  })
})

describe("attached captions in HLS", () => {
  it("one rendition that is READY → a multivariant playlist over it, without another conversion", async () => {
    const { streams } = await server.makeVideo(bucket)
    await server.convert(streams)
    const entry = `${streams}/hls/playlist.m3u8`
    const before = await text(entry)
    await expectProblem(
      await server.get(`${streams}/hls/captions-01890a5d-ac96-774b-bcce-b302099a8057.vtt`),
      404,
      "not_found"
    )
    const { id } = await attach(streams, german)
    const after = await text(entry)
    const lines = after.replaceAll(/hfp_[\w-]+/g, "KEY").split("\n")
    expect(lines).toContain(
      `#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="captions",NAME="Deutsch",LANGUAGE="de",DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,URI="${files(id)}.m3u8?apiKey=KEY"`
    )
    expect(lines.at(-3)).toMatch(/^#EXT-X-STREAM-INF:BANDWIDTH=\d+,.*RESOLUTION=1280x720.*,SUBTITLES="captions"$/)
    expect(lines.at(-2)).toBe("media.m3u8?apiKey=KEY")
    // The media playlist is the former entry.
    const key = StreamServer.keyIn(StreamServer.addresses(after)[0] ?? "")
    const media = await follow(entry, `media.m3u8?apiKey=${key}`)
    expect(media.text).toBe(before)

    const captions = await follow(entry, `${files(id)}.m3u8?apiKey=${key}`)
    expect(captions.answer.headers.get("content-type")).toBe("application/vnd.apple.mpegurl")
    const [address = ""] = StreamServer.addresses(captions.text)
    expect(address).toBe(`${files(id)}.vtt?apiKey=${key}`)
    const cues = await follow(entry, address)
    expect(Object.fromEntries(cues.answer.headers)).toMatchObject({
      "cache-control": "private, no-cache",
      "content-type": "text/vtt; charset=utf-8",
      "x-content-type-options": "nosniff"
    })
    expect(cues.text).toBe(
      "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n\n00:00:01.000 --> 00:00:04.000\nHallo <b>du</b> &amp; ich\n"
    )
    await expectProblem(await server.get(`${streams}/hls/${files(id)}.vtt`, { key: null }), 401, "unauthenticated")

    // A later conversion has them, too.
    expect((await server.delete(`${streams}/hls`)).status).toBe(204)
    await expectProblem(await server.get(`${streams}/hls/${files(id)}.vtt`), 404, "stream_not_converted")
    await server.convert(streams)
    expect(await text(entry)).toContain(files(id))
    expect((await server.delete(`${streams}/captions/${id}`)).status).toBe(204)
    expect((await text(entry)).replaceAll(/hfp_[\w-]+/g, "")).toBe(before.replaceAll(/hfp_[\w-]+/g, ""))
    await expectProblem(await server.get(`${streams}/hls/${files(id)}.vtt`), 404, "not_found")
  })

  it("attached before the conversion → the entry is a multivariant playlist while the media playlist grows, too", async () => {
    const { streams } = await server.makeVideo(bucket, StreamServer.lasting(40))
    const { id } = await attach(streams, german)
    const half = await Effect.runPromise(server.control.pauseAt(0.5))
    await server.post(`${streams}/hls`)
    await Effect.runPromise(half.reached)
    const entry = `${streams}/hls/playlist.m3u8`
    const early = await text(entry)
    expect(early).toMatch(/^#EXT-X-STREAM-INF:.*RESOLUTION=1280x720/m)
    expect(early).not.toContain("SUBTITLES")
    const [address = ""] = StreamServer.addresses(early)
    expect(address).toMatch(/^media\.m3u8\?apiKey=/)
    const growing = (await follow(entry, address)).text
    expect(growing).toContain("#EXT-X-PLAYLIST-TYPE:EVENT")
    expect(growing).not.toContain("#EXT-X-ENDLIST")
    await Effect.runPromise(half.resume)
    await server.convert(streams)
    const whole = (await follow(entry, address)).text
    expect(whole).toContain("#EXT-X-ENDLIST")
    expect(StreamServer.addresses(whole)[0]).toBe(StreamServer.addresses(growing)[0])
    expect(await text(entry)).toContain(files(id))
  })

  it("attached while the conversion runs → its entry stays the playlist that grows", async () => {
    const { streams } = await server.makeVideo(bucket, StreamServer.lasting(40))
    const half = await Effect.runPromise(server.control.pauseAt(0.5))
    await server.post(`${streams}/hls`)
    await Effect.runPromise(half.reached)
    await attach(streams, german)
    expect(await text(`${streams}/hls/playlist.m3u8`)).toContain("#EXT-X-PLAYLIST-TYPE:EVENT")
    await Effect.runPromise(half.resume)
    await server.convert(streams)
  })

  it("several renditions → each has the captions; labels are distinct", async () => {
    const { streams } = await server.makeVideo(bucket, StreamServer.lasting(10, FakeMedia.foreign))
    await server.convert(streams)
    await attach(streams, german)
    await attach(streams, { ...german, label: "Deutsch" })
    const entry = await text(`${streams}/hls/playlist.m3u8`)
    expect(entry.match(/^#EXT-X-STREAM-INF:.*,SUBTITLES="captions"$/gm)).toHaveLength(4)
    expect([...entry.matchAll(/NAME="([^"]*)"/g)].map(([, name]) => name)).toEqual(["Deutsch", "Deutsch (2)"])
    await expectProblem(await server.get(`${streams}/hls/media.m3u8`), 404, "not_found")
  })

  it("content is replaced → the new one has none", async () => {
    const { path, streams } = await server.makeVideo(bucket)
    await server.convert(streams)
    const { id } = await attach(streams, german)
    expect((await server.post(`${path}/reupload`, { body: FakeMedia.make(FakeMedia.playable) })).status).toBe(200)
    expect(await list(streams)).toEqual([])
    await server.convert(streams)
    expect(await text(`${streams}/hls/playlist.m3u8`)).not.toContain("SUBTITLES")
    await expectProblem(await server.get(`${streams}/hls/${files(id)}.vtt`), 404, "not_found")
  })
})

it("attached captions in DASH: READY manifest → an adaptation set for each, whose text can be requested", async () => {
  const { streams } = await server.makeVideo(bucket)
  await server.convert(streams, "dash")
  const { id } = await attach(streams, { ...german, label: "A < B" })
  const entry = `${streams}/dash/manifest.mpd`
  const manifest = await text(entry)
  expect(manifest).toMatch(/contentType="text" mimeType="text\/vtt" lang="de">\s*<Label>A &lt; B<\/Label>/)
  const [, address = ""] = /<BaseURL>(captions-[^<]*)<\/BaseURL>/.exec(manifest) ?? []
  expect(address).toContain(`${files(id)}.vtt?apiKey=hfp_`)
  expect((await follow(entry, address)).text).toContain("Hallo")
})
