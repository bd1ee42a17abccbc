/**
 * Puts a key into every address of a playlist or manifest: players resolve them against the playlist's own address, and
 * the query is lost on the way (RFC 3986, section 5.2.2).
 *
 * The texts are a transcoder's own, so that their form is known; what they name is relative, and below the stream.
 */

/** The key's characters stand for themselves in addresses, XML and quoted strings. */
const safe = /^[A-Za-z0-9_-]+$/

const withKey = (address: string, key: string, ampersand: string): string =>
  `${address}${address.includes("?") ? ampersand : "?"}apiKey=${key}`

/** Lines that are no tags are addresses (RFC 8216, section 4.1); tags carry theirs in the attribute `URI`. */
const inPlaylist = (text: string, key: string): string =>
  text.replace(/^(?!#).*[^\s].*$|(?<=[:,]URI=")[^"\r\n]*(?=")/gm, (address) =>
    address.endsWith("\r") ? `${withKey(address.slice(0, -1), key, "&")}\r` : withKey(address, key, "&")
  )

/**
 * Segment templates, initializations, lists, and elements `BaseURL` that name a file (ISO/IEC 23009-1, 5.3.9 and 5.6). One
 * that names a folder would lose a query again.
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

/** The text with the key in it; `name` says which kind of text it is. */
export const addKey = (name: string, text: string, key: string): string => {
  if (!safe.test(key)) throw new TypeError("a key has characters that no key has")
  return name.endsWith(".mpd") ? inManifest(text, key) : inPlaylist(text, key)
}
