/**
 * Types of the values that the settings of object stores have in common.
 */
import * as Redacted from "effect/Redacted"
import * as SecretTypes from "../SecretTypes.ts"
import { optional, type Setting } from "../Setting.ts"
import * as SettingType from "../SettingType.ts"

/** A name of a bucket, container, account or access key, in the characters that the cloud services allow. */
export const name = SettingType.make("a name of letters, digits, dots, hyphens and underscores", (text) =>
  /^[\w.-]{1,255}$/.test(text) ? text : undefined
)

const prefixType = SettingType.make("letters, digits and the characters . _ - and /", (text) =>
  /^[\w./-]{1,255}$/.test(text) ? text : undefined
)

/** Declares the setting of the prefix of all object names. */
export const prefix = (variable: string): Setting<string> =>
  optional([variable], prefixType, "Prefix of every object name. It is used as it is: add a slash if you want one.")

/** A secret of a shape. `label` names it where a redacted value is printed. */
export const secret = (expected: string, shape: RegExp, label: string) =>
  SecretTypes.secret(
    SettingType.make(expected, (text) => (shape.test(text) ? Redacted.make(text, { label }) : undefined))
  )

/** The shape of secrets of printable ASCII characters. */
export const printable = /^[\x20-\x7e]+$/
