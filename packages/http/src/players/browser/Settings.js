/**
 * The settings that the server writes into the page, in a script element that contains data.
 */

/**
 * @typedef {object} Settings
 * @property {"hls" | "dash"} format
 * @property {string} source Address of the playlist or manifest.
 * @property {string} status Address of the list of conversions.
 * @property {string} engine Address of the library for the format.
 * @property {boolean} autoplay
 * @property {boolean} controls Whether the controls are shown.
 * @property {number} seek Seconds.
 * @property {string} [storyboard] Address of small pictures of the video.
 * @property {number} speed
 */

/** @returns {Settings} */
export const read = () => JSON.parse(document.getElementById("settings")?.textContent ?? "")
