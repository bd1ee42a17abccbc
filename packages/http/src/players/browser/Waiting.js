/**
 * Waits until there is something to play, and says meanwhile what for.
 */
// oxlint-disable no-await-in-loop -- one question after the other
import * as Conversion from "./Conversion.js"
import * as Pause from "./Pause.js"
import * as Screen from "./Screen.js"

/** @import { Settings } from "./Settings.js" */

/**
 * An HLS stream can be played while it grows, from its first segment on; a DASH stream when it is whole.
 *
 * @param {Settings} settings
 * @returns {Promise<Conversion.Alive | Conversion.Refused>}
 */
export const untilPlayable = async (settings) => {
  const pause = Pause.make()
  /** @type {Promise<boolean> | undefined} */
  let begun
  for (;;) {
    const conversion = await Conversion.ask(settings)
    if (conversion.state === "ready" || Conversion.isRefused(conversion)) return conversion
    if (conversion.state === "offline") Screen.offline()
    else Screen.converting(conversion)
    if (conversion.state === "running" && settings.format === "hls") {
      begun ??= Conversion.hasBegun(settings).then(async (has) => {
        if (!has) {
          await pause()
          begun = undefined
        }
        return has
      })
      if (await Promise.race([begun, pause()])) return conversion
    } else {
      await pause()
    }
  }
}
