/**
 * Tests of the pages of listings, as Azure documents them.
 */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as ScriptedAzure from "./support/ScriptedAzure.ts"

const blob = (name: string): string =>
  `<Blob>${name}<Properties><Creation-Time>Thu, 01 Jan 1970 00:00:00 GMT</Creation-Time><Etag>0x1</Etag><Content-Length>7</Content-Length><Content-MD5/></Properties><OrMetadata/></Blob>`

const listNames = (blobs: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { target } = yield* ScriptedAzure.openTarget((_request, response) => {
      const body = `\u{feff}<?xml version="1.0" encoding="utf-8"?>\r\n<EnumerationResults ServiceEndpoint="https://account.blob.core.windows.net/" ContainerName="container">\r\n<Blobs>${blobs.join("\r\n")}</Blobs><NextMarker /></EnumerationResults>`
      response.writeHead(200, { "content-type": "application/xml" }).end(body)
    })
    return (yield* Stream.runCollect(target.list)).map(({ name, size, tag }) => `${name} ${size} ${tag}`)
  })

const names: ReadonlyArray<readonly [element: string, name: string]> = [
  ["<Name>a b</Name>", "a b"],
  ["<Name> a </Name>", " a "],
  ["<Name>a&amp;b&lt;c&gt;&quot;&apos;&#233;&#x1F389;</Name>", "a&b<c>\"'é🎉"],
  ["<Name>a&#10;b&#9;c</Name>", "a\nb\tc"],
  ["<Name><![CDATA[a&amp;<b]]></Name>", "a&amp;<b"],
  ["<Name>per%20cent+</Name>", "per%20cent+"],
  ['<Name Encoded="true">a%EF%BF%BEb%20%2B+</Name>', "a\ufffeb ++"],
  ['<Name Encoded="true">' + "%EF%BF%BF".repeat(1024) + "</Name>", "\uffff".repeat(1024)],
  ['<Name Encoded="false">a%20b</Name>', "a%20b"],
  ["<Name>" + "€".repeat(1024) + "</Name>", "€".repeat(1024)],
  ["<Name>constructor</Name>", "constructor"],
  ["<Name>1e3</Name>", "1e3"],
  ["<Name>true</Name>", "true"]
]

it.live.each(names)("list: %s → the name", ([element, name]) =>
  Effect.gen(function* () {
    // A page of several slices.
    const others = Array.from({ length: 300 }, (_, index) => `<Name>smörgåsbord 🎉 ${index}</Name>`)
    const listed = yield* listNames([...others, element].map(blob))
    assert.deepStrictEqual(listed, [...others.map((_, index) => `smörgåsbord 🎉 ${index} 7 0x1`), `${name} 7 0x1`])
  })
)

it.live.each([
  "<Blob><Properties><Etag>1</Etag><Content-Length>1</Content-Length></Properties></Blob>",
  "<Blob><Name>a</Name></Blob>",
  '<Blob><Name Encoded="true">%</Name><Properties><Etag>1</Etag></Properties></Blob>',
  "<Blob><Name>a</Name><Properties><Etag>1</Etag><Content-Length>-1</Content-Length></Properties></Blob>",
  "<Blob><Name>a</Name><Properties><Content-Length>1</Content-Length></Properties></Blob>",
  "<Blob>",
  "<Name>&unknown;</Name>"
])("list: %s → the service answered unexpectedly", (text) =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(listNames([text]))
    assert.deepInclude(error, { reason: "Internal", operation: "list" })
    assert.match(error.detail, /^The storage account answered unexpectedly|^The service answered unexpectedly/)
  })
)
