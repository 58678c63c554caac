package softkmeans
import ("os";"strconv")
func init(){ completeQ,_ = strconv.Atoi(os.Getenv("CQ")) }
