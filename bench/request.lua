-- SPDX-License-Identifier: Apache-2.0
-- Requests with random keys for wrk: arguments METHOD PATH BODY KEYS. `{key}` is a number from 1 to KEYS,
-- `{key:08}` one of eight digits.
local method, path, body, keys

function init(arguments)
  method, path, body, keys = arguments[1], arguments[2], arguments[3], tonumber(arguments[4])
  math.randomseed(os.time() + tonumber(tostring({}):match("0x(%x+)"), 16) % 100000)
  if body == "" then body = nil end
end

local function fill(text, key)
  return text and text:gsub("{key:?(%d*)}", function(digits)
    return string.format("%" .. (digits == "" and "" or "0" .. tonumber(digits)) .. "d", key)
  end)
end

function request()
  local key = math.random(1, keys)
  local filled_path = fill(path, key)
  local filled_body = fill(body, key)
  return wrk.format(method, filled_path, wrk.headers, filled_body)
end
