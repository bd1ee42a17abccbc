/**
 * The page of a share. It is the same for all shares: what it shows, its script requests. It runs this script only, by a nonce: `'self'`
 * would also permit scripts that users have uploaded.
 */
import * as Markup from "@holdfast/core/playback/Markup"
import * as AssetNames from "./AssetNames.ts"
import type { Page } from "./Page.ts"

const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "media-src 'self'",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'"
  ].join("; ")

/**
 * Renders the page.
 *
 * @param input.nonce Random, for this response alone.
 * @param input.assets Path of the assets, with a slash at its end.
 */
export const render = ({ assets, nonce }: { readonly nonce: string; readonly assets: string }): Page => {
  const attributes = (name: "src" | "href", asset: string) =>
    `${Markup.attribute(name, assets + asset)}${Markup.attribute("nonce", nonce)}`
  return {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "private, no-store",
      "content-security-policy": policy(nonce),
      "cross-origin-opener-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-robots-tag": "noindex"
    },
    html: `${[
      "<!doctype html>",
      '<html lang="en">',
      "<head>",
      '<meta charset="utf-8">',
      '<meta name="viewport" content="width=device-width, initial-scale=1">',
      '<meta name="robots" content="noindex">',
      "<title>Share</title>",
      '<link rel="icon" href="data:,">',
      `<link rel="stylesheet"${attributes("href", AssetNames.shareStyle())}>`,
      `<script type="module"${attributes("src", AssetNames.shareScript())}></script>`,
      "</head>",
      "<body>",
      "<main><h1>Share</h1><noscript><p>This page needs JavaScript.</p></noscript></main>",
      '<p id="status" role="status"></p>',
      "</body>",
      "</html>"
    ].join("\n")}\n`
  }
}
