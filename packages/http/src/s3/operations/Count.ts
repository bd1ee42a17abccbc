/**
 * The numbers with which a client limits or continues a list.
 */

/** The largest integer of 32 bits with a sign. Clients send it to ask for as many entries as a page may have. */
const max = 2_147_483_647

/** Returns the number that a parameter states, from 0 to `max`; undefined for any other text. */
export const parse = (text: string): number | undefined =>
  /^[0-9]{1,10}$/.test(text) && Number(text) <= max ? Number(text) : undefined

/** What is wrong with a parameter that `parse` does not accept. */
export const fault = `must be a whole number from 0 to ${max}`
