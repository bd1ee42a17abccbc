/**
 * Waits until the stream can be played, and shows the progress of the conversion meanwhile.
 */
// oxlint-disable no-await-in-loop -- queries follow each other
import * as Backoff from "./Backoff.js"
import * as ConversionState from "./ConversionState.js"
import * as View from "./View.js"

/** @import { Settings } from "./Settings.js" */

/**
 * Waits for the first segment of an HLS stream, or for the end of the conversion of a DASH stream.
 *
 * @param {Settings} settings
 * @returns {Promise<ConversionState.Available | ConversionState.Refused>}
 */
export const awaitPlayable = async (settings) => {
  const wait = Backoff.make()
  /** @type {Promise<boolean> | undefined} */
  let firstSegment
  for (;;) {
    const conversion = await ConversionState.query(settings)
    if (conversion.state === "ready" || ConversionState.isRefused(conversion)) return conversion
    if (conversion.state === "offline") View.showOffline()
    else View.showProgress(conversion)
    if (conversion.state === "running" && settings.format === "hls") {
      firstSegment ??= ConversionState.hasFirstSegment(settings).then(async (exists) => {
        if (!exists) {
          await wait()
          firstSegment = undefined
        }
        return exists
      })
      if (await Promise.race([firstSegment, wait()])) return conversion
    } else {
      await wait()
    }
  }
}
