/**
 * Validates the value of the directive `frame-ancestors`, which names the pages that may show a page in a frame (CSP 3,
 * section 6.4.2). Its grammar is that of sources (section 2.3.1) without keywords other than `'self'`.
 */

const scheme = /[a-z][a-z\d+.-]*/.source
/** `*`, or a host name whose first label may be `*`. IPv6 literals are not allowed. */
const host = /(?:\*|(?:\*\.)?[a-z\d-]+(?:\.[a-z\d-]+)*\.?)/.source
const port = /(?::(?:\d+|\*))?/.source
/** A path character of RFC 3986. Those that end a source or a directive must be percent-encoded. */
const character = /(?:[\w.~!$&'()*+=:@-]|%[\da-f]{2})/.source
const path = `(?:/(?:${character}+(?:/${character}*)*)?)?`
const source = `(?:'self'|${scheme}:|(?:${scheme}://)?${host}${port}${path})`

const value = new RegExp(`^(?:'none'|${source}(?: +${source})*)$`, "i")

/** Whether a text is a valid value: `'none'`, or one or more of `'self'`, schemes and hosts, separated by spaces. */
export const isValue = (text: string): boolean => value.test(text)
