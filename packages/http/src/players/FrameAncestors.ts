/**
 * Who may show a page in a frame: the value of the directive `frame-ancestors` (CSP 3, section 6.4.2), whose grammar
 * is that of sources (section 2.3.1) without keywords other than `'self'`.
 */

const scheme = /[a-z][a-z\d+.-]*/.source
/** `*` alone, or a name of which the first label may be one. Literals of IPv6 are none. */
const host = /(?:\*|(?:\*\.)?[a-z\d-]+(?:\.[a-z\d-]+)*\.?)/.source
const port = /(?::(?:\d+|\*))?/.source
/** Of RFC 3986, without the characters that end a source or a directive: those are to be encoded. */
const character = /(?:[\w.~!$&'()*+=:@-]|%[\da-f]{2})/.source
const path = `(?:/(?:${character}+(?:/${character}*)*)?)?`
const source = `(?:'self'|${scheme}:|(?:${scheme}://)?${host}${port}${path})`

const value = new RegExp(`^(?:'none'|${source}(?: +${source})*)$`, "i")

/** Whether a text can be the value: `'none'`, or one or several of `'self'`, schemes and hosts with blanks between them. */
export const isValue = (text: string): boolean => value.test(text)
