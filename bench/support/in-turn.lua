-- Asks for the paths behind `--`, in turn.
local requests, at = {}, 0

function init(paths)
  for n, path in ipairs(paths) do
    requests[n] = wrk.format(nil, path)
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end
