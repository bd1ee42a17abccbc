import { assert, describe, it } from "@effect/vitest"
import * as FileSignature from "@holdfast/core/files/FileSignature"
import * as FileType from "@holdfast/core/files/FileType"
import * as FastCheck from "fast-check"

const bytes = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0))
const type = (head: string, name: string) => FileSignature.detect(bytes(head), name).type

describe("FileType", () => {
  it("fromName: every documented extension → its type", () => {
    const table: ReadonlyArray<readonly [FileType.FileType, string]> = [
      ["IMAGE", "jpg png gif webp svg bmp ico tiff"],
      ["VIDEO", "mp4 avi mov mkv webm flv wmv"],
      ["AUDIO", "mp3 wav ogg flac aac"],
      ["DOCUMENT", "pdf doc docx"],
      ["SPREADSHEET", "xls xlsx csv"],
      ["PRESENTATION", "ppt pptx"],
      ["ARCHIVE", "zip tar gz rar 7z"],
      ["FONT", "ttf otf woff woff2"],
      ["TEXT", "txt md json xml yaml html css js"]
    ]
    for (const [expected, extensions] of table) {
      for (const extension of extensions.split(" ")) {
        assert.strictEqual(FileType.fromName(`file.${extension}`).type, expected, extension)
      }
    }
    assert.deepStrictEqual(FileType.fromName("unknown.xyz"), { type: "OTHER", contentType: "application/octet-stream" })
  })

  it("detect: markup after a byte order mark and any white space → HTML", () => {
    const encode = (text: string) => new TextEncoder().encode(text)
    // All code points that `trimStart` removes.
    const spaces = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code)).filter(
      (character) => character.trimStart() === ""
    )
    assert.isAbove(spaces.length, 20)
    for (const space of spaces) {
      const detected = FileSignature.detect(encode(`${space}<!doctype html>`), "a.png")
      assert.strictEqual(detected.contentType, "text/html; charset=utf-8", space.charCodeAt(0).toString(16))
    }
  })

  it("detect: signature contradicts the name → type of the signature", () => {
    assert.strictEqual(type("\x89PNG\r\n\x1a\n....", "trick.txt"), "IMAGE")
    assert.strictEqual(type("%PDF-1.7", "a.jpg"), "DOCUMENT")
    assert.strictEqual(type("RIFF....WAVEfmt ", "a"), "AUDIO")
    assert.strictEqual(type("RIFF....WEBPVP8 ", "a"), "IMAGE")
    assert.strictEqual(type("....WEBP", "a.txt"), "TEXT")
    assert.strictEqual(type("\x00\x00\x00\x18ftypisom", "a"), "VIDEO")
    assert.strictEqual(type("\x00\x00\x00\x18ftypM4A ", "a"), "AUDIO")
    assert.strictEqual(type("\x1a\x45\xdf\xa3....webm", "a.mkv"), "VIDEO")
    assert.strictEqual(FileSignature.detect(bytes("\x1a\x45\xdf\xa3....webm"), "a.mkv").contentType, "video/webm")
    assert.strictEqual(type("\xff\xfb\x90\x64aaaa", "a"), "AUDIO")
    assert.strictEqual(type(`${"\0".repeat(257)}ustar`, "a"), "ARCHIVE")
  })

  it("detect: container format → type of the name's extension", () => {
    assert.strictEqual(type("PK\x03\x04", "a.zip"), "ARCHIVE")
    assert.strictEqual(type("PK\x03\x04", "a.docx"), "DOCUMENT")
    assert.strictEqual(type("PK\x03\x04", "a.xlsx"), "SPREADSHEET")
    assert.strictEqual(type("PK\x03\x04", "a.jpg"), "ARCHIVE")
    assert.strictEqual(type("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a.ppt"), "PRESENTATION")
  })

  it("detect: HTML, SVG or XML with the name of a picture → type of the markup", () => {
    for (const page of ["<!DOCTYPE html><p>", "\n  <html>", "<script>alert(1)</script>", "\xef\xbb\xbf<HTML >"]) {
      assert.strictEqual(FileSignature.detect(bytes(page), "a.png").contentType, "text/html; charset=utf-8", page)
    }
    assert.strictEqual(FileSignature.detect(bytes("<?xml version='1.0'?><svg >"), "a.txt").contentType, "image/svg+xml")
    assert.strictEqual(FileSignature.detect(bytes("<?xml version='1.0'?><a>"), "a.png").contentType, "application/xml")
  })

  it("detect: declaration, comments and document type before <svg → SVG", () => {
    const comment = FastCheck.stringMatching(/^[a-z<>! \n-]{0,12}$/)
      .map((text) => `<!--${text}-->`)
      .filter((text) => text.indexOf("-->", 4) === text.length - 3)
    const space = FastCheck.constantFrom("", " ", "\n", "\r\n\t")
    const parts = FastCheck.tuple(
      FastCheck.constantFrom("", "<?xml version='1.0'?>", '<?XML version="1.0" encoding="utf-8"?>'),
      FastCheck.array(FastCheck.tuple(comment, space), { maxLength: 12 }),
      FastCheck.constantFrom("", '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd">', "<!doctype svg>"),
      space
    )
    const head = parts.map(([declaration, comments, doctype, end]) =>
      [declaration, end, ...comments.flat(), doctype, end].join("")
    )
    FastCheck.assert(
      FastCheck.property(head, FastCheck.constantFrom("<svg>", "<SVG ", "<svg\n"), (before, element) => {
        assert.strictEqual(FileSignature.detect(bytes(before + element), "a.png").contentType, "image/svg+xml")
      })
    )
    FastCheck.assert(
      FastCheck.property(
        head,
        FastCheck.constantFrom("", "<p>", "<svgs>", "<!--<svg>", "--><svg>"),
        (before, other) => {
          assert.notStrictEqual(FileSignature.detect(bytes(before + other), "a.png").contentType, "image/svg+xml")
        }
      )
    )
  })

  it("detect: 73 comments without an element → type of the name", () => {
    assert.strictEqual(type("<!---->".repeat(73), "a.png"), "IMAGE")
    assert.strictEqual(type(`<?xml version='1.0'?>${"<!-- -->\n".repeat(60)}`, "a.png"), "TEXT")
    assert.strictEqual(type("<!---->".repeat(72) + "<svg>", "a.txt"), "IMAGE")
  })

  it("detect: empty content → type of the name", () => {
    assert.strictEqual(type("", "a.csv"), "SPREADSHEET")
    assert.strictEqual(type("", ""), "OTHER")
  })
})
