/**
 * What the server tells this page, in a script element that holds data.
 */

/**
 * @typedef {object} Settings
 * @property {"hls" | "dash"} format
 * @property {string} source Of the playlist or manifest.
 * @property {string} status Of the list of conversions.
 * @property {string} engine Of the library for the format.
 * @property {boolean} autoplay
 * @property {boolean} controls Whether the browser shows its own.
 * @property {number} seek Seconds.
 * @property {number} speed
 */

/** @returns {Settings} */
export const read = () => JSON.parse(document.getElementById("settings")?.textContent ?? "")
