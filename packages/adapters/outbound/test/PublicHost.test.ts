import { describe, expect, it } from "@effect/vitest"
import * as PublicHost from "../src/PublicHost.ts"

const isPublic = (url: string) => PublicHost.isPublic(new URL(url).hostname)

describe("PublicHost", () => {
  it.each([
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://10.1.2.3:8443/",
    "https://169.254.169.254/latest",
    "https://[::1]/",
    "https://[::ffff:192.168.1.1]/",
    "https://localhost/",
    "https://a.LOCALHOST/",
    "https://localhost./"
  ])("%s → not public", (url) => {
    expect(isPublic(url)).toBe(false)
  })

  it.each(["https://example.com/", "https://8.8.8.8/", "https://[2606:4700::1111]/", "https://notlocalhost/"])(
    "%s → public, as far as the URL shows",
    (url) => {
      expect(isPublic(url)).toBe(true)
    }
  )
})
