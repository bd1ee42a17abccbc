import { assert, describe, it } from "@effect/vitest"
import * as CacheControl from "@holdfast/core/files/CacheControl"

const standard = "private, no-cache"

describe("CacheControl.forReaders", () => {
  it.each([
    [undefined, standard],
    ["", standard],
    ["public", standard],
    ["private", standard],
    ["public, max-age=60", "private, max-age=60"],
    ["PUBLIC,Max-Age=60", "private, max-age=60"],
    [" public ,, max-age=60 , ", "private, max-age=60"],
    ["max-age=60", "private, max-age=60"],
    ['max-age="60"', 'private, max-age="60"'],
    ["s-maxage=600", standard],
    ["max-age=1, s-maxage=600, proxy-revalidate", "private, max-age=1"],
    ['private="set-cookie", max-age=60', "private, max-age=60"],
    ['no-cache="x-a, public", max-age=60', 'private, no-cache="x-a, public", max-age=60'],
    ['x="private", public', standard],
    ['x="a\\", public, max-age=5', standard],
    ['x="\\"", no-store', "private, no-store"],
    ["no-store", "private, no-store"],
    ["max-age=60, immutable, stale-while-revalidate=5", "private, max-age=60, immutable, stale-while-revalidate=5"],
    ["surrogate=1, edge-control=public", standard],
    ["max-age=60; public", standard],
    ["max-age = 60", standard],
    ["=", standard]
  ])("%j → %j", (own, expected) => {
    assert.strictEqual(CacheControl.forReaders(own), expected)
  })
})
