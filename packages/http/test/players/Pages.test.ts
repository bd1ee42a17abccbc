/**
 * The HTML and the headers of the pages.
 */
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as FastCheck from "fast-check"
import { describe, expect, it } from "vitest"
import * as FrameAncestors from "../../src/players/FrameAncestors.ts"
import * as PlayerHeaders from "../../src/players/PlayerHeaders.ts"
import * as PlayerPage from "../../src/players/PlayerPage.ts"
import * as ProblemPage from "../../src/players/ProblemPage.ts"
import * as PlayerParameters from "../../src/players/PlayerParameters.ts"

/** Any code unit, including lone surrogates. */
const unit = FastCheck.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code))

const input: PlayerPage.Input = {
  format: "hls",
  source: "hls/playlist.m3u8?apiKey=hf_a",
  status: "../streams?apiKey=hf_a",
  poster: undefined,
  storyboard: undefined,
  isSound: false,
  title: "Holidays",
  parameters: PlayerParameters.defaults,
  frameAncestors: "*"
}

/** Parses the settings for the script. */
const settings = (html: string): unknown =>
  JSON.parse(/<script type="application\/json" id="settings">(.*)<\/script>/.exec(html)?.[1] ?? "")

describe("player page", () => {
  it("headers → not cached, no referrer", () => {
    expect(PlayerPage.render(input).headers).toMatchObject({
      "cache-control": "private, no-store",
      "content-type": "text/html; charset=utf-8",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff"
    })
  })

  it.each<[Format, string]>([
    ["hls", "'self' blob: data:"],
    ["dash", "'self' blob:"]
  ])("content security policy, %s → own origin only, no inline scripts or styles", (format, media) => {
    const { headers, html } = PlayerPage.render({ ...input, format })
    expect(headers["content-security-policy"]).toBe(
      `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src ${media}; ` +
        "connect-src 'self'; worker-src 'none'; frame-ancestors *; base-uri 'none'; form-action 'none'"
    )
    expect(html).not.toMatch(/\son\w+=|style=|https?:/)
    expect(html.match(/<script(?! type="application\/json"| type="module" src="\.\.\/)/g)).toBeNull()
  })

  it("title → in the title and the name of the video; language is set", () => {
    const { html } = PlayerPage.render(input)
    expect(html).toContain('<html lang="en">')
    expect(html).toContain("<title>Holidays</title>")
    expect(html).toContain('<video id="video" aria-label="Holidays" playsinline preload="metadata">')
  })

  it("parameters → settings of the script", () => {
    const parameters = { ...PlayerParameters.defaults, autoplay: true, seek: 5, speed: 2 }
    expect(settings(PlayerPage.render({ ...input, parameters }).html)).toMatchObject({
      autoplay: true,
      controls: true,
      engine: expect.stringMatching(/^(?:\.\.\/){7}players\/hls-[\w-]{16}\.js$/),
      format: "hls",
      seek: 5,
      source: input.source,
      speed: 2,
      status: input.status
    })
  })

  it.each(["hls", "dash"] as const)(
    "%s → its library is loaded beside the script, before the other modules",
    (format) => {
      const { html } = PlayerPage.render({ ...input, format })
      const preloaded = [...html.matchAll(/<link rel="modulepreload" href="([^"]+)">/g)].map(([, address]) => address)
      expect(settings(html)).toMatchObject({ engine: preloaded[0] })
      expect(preloaded.filter((address) => /\/(?:hls|dash)-/.test(address ?? ""))).toHaveLength(1)
    }
  )

  it("page is mounted at any path → addresses of the assets resolve", () => {
    const { html } = PlayerPage.render(input)
    const [, script = ""] = /src="([^"]+)"/.exec(html) ?? []
    const page = "http://h/a/b/api/v1/tenants/t/buckets/b/files/f/streams/hls?apiKey=k"
    expect(new URL(script, page).pathname).toMatch(/^\/a\/b\/api\/v1\/players\/Player-[\w-]{16}\.js$/)
    expect(PlayerPage.render({ ...input, assetsBase: "/elsewhere/" }).html).toContain('src="/elsewhere/Player-')
  })

  it("any input → no additional elements, settings parse to the same values", () => {
    const hostile = FastCheck.oneof(
      FastCheck.string({ unit }),
      FastCheck.constantFrom("</script><script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "<!--", "</title>")
    )
    const plain = PlayerPage.render({ ...input, poster: "p" }).html
    const elements = (html: string) => html.match(/<[a-z/!][\w-]*/gi)
    FastCheck.assert(
      FastCheck.property(hostile, hostile, hostile, hostile, (title, source, status, poster) => {
        const { html } = PlayerPage.render({ ...input, title, source, status, poster })
        expect(elements(html)).toEqual(elements(plain))
        expect(settings(html)).toMatchObject({ source, status })
      })
    )
  })
})

describe("frame-ancestors", () => {
  it.each([
    "*",
    "'none'",
    "'NONE'",
    "'self'",
    "'self' https://a.example https://*.b.example:8443",
    "a.example https:",
    "* 'self'",
    "web+x.1-a:",
    "https://*",
    "*:*",
    "*.a.example.:81",
    "127.0.0.1:8080",
    "xn--bcher-kva.example/a/b%20c/",
    "https://a.example/"
  ])("%s → valid", (text) => {
    expect(FrameAncestors.isValue(text)).toBe(true)
    expect(PlayerHeaders.of(text)["content-security-policy"]).toContain(`; frame-ancestors ${text};`)
  })

  it.each([
    "",
    " ",
    " a",
    "a ",
    "a\n",
    "a\tb",
    "a, b",
    "*; script-src *",
    "a/b;c",
    "a/b,c",
    "a\r\nSet-Cookie: b",
    "'none' 'self'",
    "a 'none'",
    "'self",
    "''",
    "'unsafe-inline'",
    "'nonce-YQ=='",
    "https//a.example",
    "https:/a.example",
    "https://",
    "://a.example",
    "1a:",
    "a.*.example",
    "*a.example",
    "**",
    "*.",
    "a..example",
    ".a.example",
    "a_b.example",
    "bücher.example",
    "user@a.example",
    "a.example:81a",
    "a.example//b",
    "a.example/%2",
    "a.example/?b",
    "a.example/#b",
    "https://[::1]"
  ])("%j → invalid, all frames are denied", (text) => {
    expect(FrameAncestors.isValue(text)).toBe(false)
    expect(PlayerHeaders.of(text)["content-security-policy"]).toContain("; frame-ancestors 'none';")
  })
})

describe("problem page", () => {
  const render = (status: number, more: object = {}) =>
    ProblemPage.render({ status, frameAncestors: "*", ...more }).html

  it.each([
    [401, {}, "This link is not valid or has expired."],
    [403, {}, "This link does not permit watching the video."],
    [404, {}, "There is no video at this address."],
    [404, { code: "not_found" }, "There is no video at this address."],
    [404, { code: "stream_not_converted" }, "This video has not been converted to this format yet."],
    [404, { code: "content_not_uploaded" }, "The video has not been uploaded yet."],
    [422, { code: "not_a_video" }, "This file is neither video nor audio"],
    [422, { code: "conversion_failed" }, "This video could not be converted."],
    [503, { code: "unavailable" }, "The server cannot respond right now."],
    [500, { code: "internal" }, "The server failed."],
    [400, { code: "invalid_request" }, "This address is not valid."]
  ])("%d %j → expected text", (status, more, words) => {
    expect(render(status, more)).toContain(words)
  })

  it("detail → shown for a failed conversion only", () => {
    const detail = "no <moov> at /secret"
    expect(render(422, { code: "conversion_failed", detail })).toContain("no &lt;moov&gt; at /secret")
    for (const [status, code] of [
      [401, "unauthenticated"],
      [403, "forbidden"],
      [404, "not_found"],
      [422, "not_a_video"],
      [500, "internal"],
      [503, "unavailable"]
    ] as const) {
      expect(render(status, { code, detail })).not.toContain("secret")
    }
  })

  it("page → no script, headers of a player page", () => {
    const page = ProblemPage.render({ status: 404, frameAncestors: "'self'" })
    expect(page.html).not.toContain("<script")
    expect(page.headers).toEqual(PlayerHeaders.of("'self'"))
  })

  it.each(["constructor", "__proto__", "toString"])(
    "code %s, a property of every object → text of the status",
    (code) => {
      expect(render(404, { code })).toContain("There is no video at this address.")
    }
  )
})
