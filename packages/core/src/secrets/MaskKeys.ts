/**
 * Removes keys from texts that are logged, traced or sent back. Keys get there when clients put them into a path, a request id or
 * a parameter of another name. They are recognised by their shape, since a key of another deployment is a secret, too.
 */

/** A character of base64url, or its percent-encoding. */
const character = "(?:[A-Za-z0-9_-]|%[2-7][0-9a-f])"

/**
 * An API key (`hf_` and 49 characters), a playback key (`hfp_` and more) or the key of a link (`hfl_` or `hfu_` and more), the token
 * of a share (`hfs_` and 43 characters) or of a session of its page (`hfw_` and more), each character
 * percent-encoded or not. Most of a key counts as one: a log that has half a key leaks half of its secret.
 */
const keys = new RegExp(`(?:h|%68)(?:f|%66)([plusw]|%70|%6c|%7[357])?(?:_|%5f)${character}{16,}`, "gi")

/** The same, for one test: an expression with the flag `g` would remember where it stopped. */
const key = new RegExp(keys.source, "i")

/** Whether a text may contain a key. Few texts pass, and most of them contain none. */
const maybe = (text: string): boolean => text.includes("hf") || text.includes("%")

/** Whether a text contains a key. */
export const containsKey = (text: string): boolean => maybe(text) && key.test(text)

/** Returns the text with `hf_***`, `hfp_***`, `hfl_***` and so on in place of keys. */
export const mask = (text: string): string =>
  maybe(text)
    ? text.replace(
        keys,
        (_, kind?: string) => `hf${kind === undefined ? "" : decodeURIComponent(kind).toLowerCase()}_***`
      )
    : text
