import { toNodeListener } from "@holdfast/http"
import { Body, Controller, Get, Header, Module, Param, Post } from "@nestjs/common"
import { NestFactory } from "@nestjs/core"
import express from "express"
import { announce, page, script, start } from "./Store.js"

await import("reflect-metadata")
const { authenticate, holdfast, uploadAddress, viewAddress } = await start()

class Site {
  page() {
    return page
  }
  script() {
    return script()
  }
  link(id) {
    return viewAddress(id)
  }
  address(file) {
    return uploadAddress(file)
  }
}

/** Does what the decorators of TypeScript do. */
const decorate = (name, parameter, ...decorators) => {
  const property = Object.getOwnPropertyDescriptor(Site.prototype, name)
  for (const decorator of decorators) decorator(Site.prototype, name, property)
  parameter?.(Site.prototype, name, 0)
}
decorate("page", undefined, Get("/"))
decorate("script", undefined, Get("/page.js"), Header("content-type", "text/javascript"))
decorate("link", Param("id"), Get("/links/:id"))
decorate("address", Body(), Post("/addresses"))
Controller()(Site)

class App {
  name = "files"
}
Module({ controllers: [Site] })(App)

// Nest's own parser would read the bodies of uploads.
const app = await NestFactory.create(App, { bodyParser: false, logger: ["error"] })
app.use("/store", toNodeListener(holdfast, { authenticate }))
app.use("/addresses", express.json())
await app.listen(0, "127.0.0.1")
announce(app.getHttpServer().address().port)
