/**
 * Adds the playback key to every address in a playlist or manifest. Players resolve these addresses against the playlist's
 * own address, which drops its query with the key (RFC 3986, section 5.2.2).
 *
 * The texts come from the deployment's own transcoder, so their form is known: all addresses are relative and lie below the
 * stream.
 */
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"

/** The characters of keys. None of them needs escaping in addresses, XML or quoted strings. */
const safe = /^[A-Za-z0-9_-]+$/

const withKey = (address: string, key: string, ampersand: string): string =>
  `${address}${address.includes("?") ? ampersand : "?"}apiKey=${key}`

/** HLS: lines that are not tags or comments are addresses (RFC 8216, section 4.1); tags have them in the attribute `URI`. */
const inPlaylist = (text: string, key: string): string =>
  text.replace(/^(?!#).*[^\s].*$|(?<=[:,]URI=")[^"\r\n]*(?=")/gm, (address) =>
    address.endsWith("\r") ? `${withKey(address.slice(0, -1), key, "&")}\r` : withKey(address, key, "&")
  )

/**
 * DASH: addresses are in segment templates, initializations and segment lists, and in those `BaseURL` elements that name a
 * file (ISO/IEC 23009-1, 5.3.9 and 5.6). A `BaseURL` that names a folder gets no key: resolving against it drops its query.
 */
const inManifest = (text: string, key: string): string =>
  text
    .replace(
      /(?<=\s(?:media|initialization|sourceURL)=)(?:"([^"]*)"|'([^']*)')/g,
      (_, double?: string, single?: string) =>
        double === undefined ? `'${withKey(single ?? "", key, "&amp;")}'` : `"${withKey(double, key, "&amp;")}"`
    )
    .replace(/(?<=<BaseURL(?:\s[^>]*)?>)\s*([^<]*[^<\s/])\s*(?=<\/BaseURL>)/g, (_, address: string) =>
      withKey(address, key, "&amp;")
    )

/** A storyboard: its lines with a part of a sheet (`#xywh`) are addresses. */
const inStoryboard = (text: string, key: string): string =>
  text.replace(/^[^\s#]+(?=#xywh=)/gm, (address) => withKey(address, key, "&"))

/**
 * Returns the text with the key in every address. `name` is the file name of the text: `.mpd` is a DASH manifest, any other
 * name an HLS playlist, except for WebVTT: the text of captions has no addresses. Throws a `TypeError` when the key has characters that would need escaping.
 */
export const addKey = (name: string, text: string, key: string): string => {
  if (!safe.test(key)) throw new TypeError("The playback key contains characters that are not allowed in keys.")
  if (name === StreamFiles.storyboard) return inStoryboard(text, key)
  if (name.endsWith(".vtt")) return text
  return name.endsWith(".mpd") ? inManifest(text, key) : inPlaylist(text, key)
}
