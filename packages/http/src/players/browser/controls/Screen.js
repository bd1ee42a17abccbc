/**
 * Full screen and picture in picture, where the browser and the embedding page permit them.
 */
import * as View from "../View.js"

const { stage, video } = View
const { fullscreen, pip } = View.controls

/** iPhones show only the video itself on the full screen. @type {(() => void) | undefined} */
const enterVideo = /** @type {any} */ (video).webkitEnterFullscreen?.bind(video)

/** Either may be refused, by the viewer's settings for example: then nothing changes. */
const ignore = () => undefined

export const toggleFullscreen = () => {
  if (document.fullscreenElement !== null && document.fullscreenElement !== undefined) {
    void document.exitFullscreen().catch(ignore)
  } else if (document.fullscreenEnabled) {
    void stage.requestFullscreen().catch(ignore)
  } else {
    enterVideo?.()
  }
}

export const togglePip = () => {
  if (pip.hidden) return
  const isOn = document.pictureInPictureElement === video
  void (isOn ? document.exitPictureInPicture() : video.requestPictureInPicture()).catch(ignore)
}

export const prepare = () => {
  fullscreen.hidden = !document.fullscreenEnabled && enterVideo === undefined
  fullscreen.addEventListener("click", toggleFullscreen)
  document.addEventListener("fullscreenchange", () => {
    const isOn = document.fullscreenElement === stage
    fullscreen.dataset["state"] = isOn ? "shrink" : "expand"
    View.setLabel(fullscreen, isOn ? "Leave full screen" : "Full screen")
  })
  pip.addEventListener("click", togglePip)
  video.addEventListener("loadedmetadata", () => {
    // Sound alone has no picture, which iPhones would show on the full screen.
    const hasPicture = video.videoWidth > 0
    fullscreen.hidden = !document.fullscreenEnabled && (enterVideo === undefined || !hasPicture)
    pip.hidden = document.pictureInPictureEnabled !== true || !hasPicture
  })
}
