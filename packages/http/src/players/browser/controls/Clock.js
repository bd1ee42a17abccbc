/**
 * Times as viewers read them.
 */

/** @param {number} value */
const pad = (value) => String(value).padStart(2, "0")

/**
 * Returns `1:05`, or `1:02:05` for an hour and more. A time that is not known is `0:00`.
 *
 * @param {number} seconds
 */
export const format = (seconds) => {
  const whole = Number.isFinite(seconds) ? Math.max(Math.floor(seconds), 0) : 0
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  const rest = pad(whole % 60)
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${pad(minutes)}:${rest}`
}
