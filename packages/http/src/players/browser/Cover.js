/**
 * What the stage shows where there is no picture: the poster of a video until it plays; of sound alone its poster, or its title.
 */
import * as View from "./View.js"

const { cover, stage, video } = View

/** Address of the poster, as soon as there is one. @type {string | undefined} */
let poster

/** Returns the absolute address of the poster; undefined while there is none. */
export const posterAddress = () => (poster === undefined ? undefined : new URL(poster, document.baseURI).href)

/** Replaces the title of sound alone by the poster. The title stays where the poster cannot be loaded. */
const showArtwork = () => {
  if (poster === undefined || cover.querySelector("img") !== null) return
  const image = new Image()
  image.className = "artwork"
  image.part.add("artwork")
  image.alt = ""
  image.addEventListener("load", () => cover.replaceChildren(image), { once: true })
  image.src = poster
}

/**
 * Shows the poster until the video plays. Over a slow line it takes as long to load as the first segment: a video that plays at once has
 * none, unless the browser forbids that.
 *
 * @param {boolean} isPlaying
 */
export const showPoster = (isPlaying) => {
  poster = video.dataset["poster"]
  if (poster === undefined) return
  if (View.isSound()) return showArtwork()
  const address = poster
  const show = () => {
    if (video.paused && !View.isSound()) video.poster = address
  }
  if (isPlaying) video.addEventListener("loadeddata", show, { once: true })
  else show()
}

/** Shows sound alone as such, also where the server did not know the content yet. */
const update = () => {
  if (video.readyState < HTMLMediaElement.HAVE_METADATA) return
  const isSound = video.videoWidth === 0
  stage.classList.toggle("audio", isSound)
  if (!isSound) return
  video.removeAttribute("poster")
  showArtwork()
}

export const prepare = () => {
  // The server knows that it has a poster, also while the conversion runs.
  if (View.isSound()) showPoster(false)
  for (const event of ["loadedmetadata", "resize"]) video.addEventListener(event, update)
  for (const event of ["play", "pause", "emptied"]) {
    video.addEventListener(event, () => stage.classList.toggle("playing", !video.paused))
  }
}
