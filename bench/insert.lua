-- SPDX-License-Identifier: Apache-2.0
-- What wrk sends in the insert legs: one new record of the collection posts.
wrk.method = "POST"
wrk.body = '{"title":"A new post","body":"Lorem ipsum dolor sit amet.","views":7,"score":1.5,"live":true}'
wrk.headers["Content-Type"] = "application/json"
