/**
 * The dates of HTTP headers (RFC 9110, section 5.6.7), as epoch milliseconds of whole seconds.
 */

const monthNames = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
const months = monthNames.join("|")
const days = "Mon|Tue|Wed|Thu|Fri|Sat|Sun"
const longDays = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
const time = "(\\d\\d):(\\d\\d):(\\d\\d)"

/** `Sun, 06 Nov 1994 08:49:37 GMT` */
const imfFixdate = new RegExp(`^(?:${days}), (\\d\\d) (${months}) (\\d{4}) ${time} GMT$`)
/** `Sunday, 06-Nov-94 08:49:37 GMT` */
const rfc850 = new RegExp(`^(?:${longDays}), (\\d\\d)-(${months})-(\\d\\d) ${time} GMT$`)
/** `Sun Nov  6 08:49:37 1994` */
const asctime = new RegExp(`^(?:${days}) (${months}) (\\d\\d| \\d) ${time} (\\d{4})$`)

/** The instant; undefined for a date that does not exist. A leap second becomes the second after it. */
const instant = (year: number, month: string, day: string, hour: string, minute: string, second: string) => {
  if (year < 100 || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined
  const midnight = Date.UTC(year, monthNames.indexOf(month), Number(day))
  if (new Date(midnight).getUTCDate() !== Number(day)) return undefined
  return midnight + ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000
}

/** The instant 50 years after `now`. */
const inFiftyYears = (now: number): number => {
  const date = new Date(now)
  return date.setUTCFullYear(date.getUTCFullYear() + 50)
}

/**
 * Parses a date in any of the three formats. Returns undefined for any other text, which a recipient must ignore (sections
 * 13.1.3 and 13.1.4). The name of the day is not compared with the date. A two-digit year that appears to be more than 50
 * years ahead of `now` belongs to the previous century.
 */
export const parse = (text: string, now: number): number | undefined => {
  const imf = imfFixdate.exec(text)
  if (imf !== null) {
    const [, day = "", month = "", year, hour = "", minute = "", second = ""] = imf
    return instant(Number(year), month, day, hour, minute, second)
  }
  const old = rfc850.exec(text)
  if (old !== null) {
    const [, day = "", month = "", digits, hour = "", minute = "", second = ""] = old
    const century = Math.floor(new Date(now).getUTCFullYear() / 100) * 100
    const year = century + Number(digits)
    const at = instant(year, month, day, hour, minute, second)
    const ahead = (at ?? Date.UTC(year)) > inFiftyYears(now)
    return ahead ? instant(year - 100, month, day, hour, minute, second) : at
  }
  const c = asctime.exec(text)
  if (c === null) return undefined
  const [, month = "", day = "", hour = "", minute = "", second = "", year] = c
  return instant(Number(year), month, day, hour, minute, second)
}

/** An instant rounded down to the whole second, which is the precision of an HTTP date. */
export const truncate = (at: number): number => Math.floor(at / 1000) * 1000

let formattedSecond = Number.NaN
let formatted = ""

/** Formats an instant as IMF-fixdate. The last result is cached, so that a file which is read often is formatted once. */
export const format = (at: number): string => {
  const second = truncate(at)
  if (second !== formattedSecond) {
    formatted = new Date(second).toUTCString()
    formattedSecond = second
  }
  return formatted
}
