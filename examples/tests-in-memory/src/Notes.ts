/**
 * Notes kept as files: the part of an application that is to be tested. It is given a Holdfast and does not know what
 * is below it.
 */
import type { ActorHandle, Holdfast } from "@holdfast/core"

export interface Notes {
  readonly write: (title: string, text: string) => Promise<void>
  readonly read: (title: string) => Promise<string>
  readonly titles: () => Promise<ReadonlyArray<string>>
}

export const make = (
  holdfast: Holdfast,
  actor: ActorHandle,
  bucket: { readonly tenantId: string; readonly bucketId: string }
): Notes => {
  const list = async () => (await holdfast.files.list(actor, { ...bucket, path: "/notes/" })).items
  const find = async (title: string) => (await list()).find(({ name }) => name === title)
  return {
    write: async (title, text) => {
      const present = await find(title)
      if (present === undefined) {
        await holdfast.files.upload(actor, { ...bucket, name: title, path: "/notes/", content: text })
      } else {
        await holdfast.files.reupload(actor, { ...bucket, fileId: present.id, content: text })
      }
    },
    read: async (title) => {
      const present = await find(title)
      if (present === undefined) throw new Error(`There is no note "${title}".`)
      return (await holdfast.files.read(actor, { ...bucket, fileId: present.id })).text()
    },
    titles: async () => (await list()).map(({ name }) => name)
  }
}
